"""Pods and pod templates: defaults, validity, what an update may change, and what deserves a warning."""

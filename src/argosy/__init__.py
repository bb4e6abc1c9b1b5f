"""Argosy: an open, self-hosted GitOps and CI/CD platform."""

__version__ = "0.1.0"

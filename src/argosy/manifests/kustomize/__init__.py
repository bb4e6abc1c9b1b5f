"""Kustomize, in this process."""

"""What is particular about each kind; see `rules`."""

from argosy.kube.server.rules.rules import Rules

__all__ = ["Rules"]

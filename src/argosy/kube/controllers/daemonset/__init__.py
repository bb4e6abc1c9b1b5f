"""DaemonSets: one pod on each node that wants one. `planning` decides (pure), `controller` does."""

from argosy.kube.controllers.daemonset.controller import make

__all__ = ["make"]

"""Which node a pod runs on: `fitting` decides (pure), `scheduler` does it."""

from argosy.kube.nodes.scheduling.scheduler import Scheduler

__all__ = ["Scheduler"]

"""CronJobs: a Job whenever the schedule says so. `planning` decides (pure), `controller` does."""

from argosy.kube.controllers.cronjob.controller import make

__all__ = ["make"]

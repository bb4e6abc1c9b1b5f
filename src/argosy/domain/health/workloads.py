"""Deployment, ReplicaSet, StatefulSet, DaemonSet: rolled out when the controller has seen the newest spec and all replicas follow it.

As `kubectl rollout status` judges them. `builtin.py` knows which rule is whose.
"""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, SUSPENDED, Health
from argosy.domain.health.reading import condition, number, part, text
from argosy.kube.objects import Object

_ROLLOUT = "Waiting for rollout to finish:"


def deployment(obj: Object) -> Health:
    spec, status, metadata = part(obj, "spec"), part(obj, "status"), part(obj, "metadata")
    if spec.get("paused") is True:
        return Health(SUSPENDED, "Deployment is paused")
    if number(metadata, "generation") > number(status, "observedGeneration"):
        return Health(PROGRESSING, f"{_ROLLOUT} observed deployment generation less than desired generation")
    if condition(obj, "Progressing").get("reason") == "ProgressDeadlineExceeded":
        return Health(DEGRADED, f'Deployment "{text(metadata, "name")}" exceeded its progress deadline')
    wanted, there = number(spec, "replicas", -1), number(status, "replicas")
    updated, available = number(status, "updatedReplicas"), number(status, "availableReplicas")
    if updated < wanted:
        return Health(PROGRESSING, f"{_ROLLOUT} {updated} out of {wanted} new replicas have been updated...")
    if there > updated:
        return Health(PROGRESSING, f"{_ROLLOUT} {there - updated} old replicas are pending termination...")
    if available < updated:
        return Health(PROGRESSING, f"{_ROLLOUT} {available} of {updated} updated replicas are available...")
    return Health(HEALTHY)


def replica_set(obj: Object) -> Health:
    status = part(obj, "status")
    if number(part(obj, "metadata"), "generation") > number(status, "observedGeneration"):
        return Health(PROGRESSING, f"{_ROLLOUT} observed replica set generation less than desired generation")
    failure = condition(obj, "ReplicaFailure")
    if failure.get("status") == "True":
        return Health(DEGRADED, text(failure, "message"))
    wanted, available = number(part(obj, "spec"), "replicas", -1), number(status, "availableReplicas")
    if available < wanted:
        return Health(PROGRESSING, f"{_ROLLOUT} {available} out of {wanted} new replicas are available...")
    return Health(HEALTHY)


def stateful_set(obj: Object) -> Health:
    spec, status = part(obj, "spec"), part(obj, "status")
    observed = number(status, "observedGeneration")
    if observed == 0 or number(part(obj, "metadata"), "generation") > observed:
        return Health(PROGRESSING, "Waiting for statefulset spec update to be observed...")
    wanted, ready = number(spec, "replicas", -1), number(status, "readyReplicas")
    if ready < wanted:
        return Health(PROGRESSING, f"Waiting for {wanted - ready} pods to be ready...")
    strategy = part(spec, "updateStrategy")
    if strategy.get("type") == "RollingUpdate" and isinstance(strategy.get("rollingUpdate"), dict):
        return _partitioned(wanted, part(strategy, "rollingUpdate"), number(status, "updatedReplicas"))
    if strategy.get("type") == "OnDelete":
        return Health(HEALTHY, f"statefulset has {ready} ready pods")
    return _revisions(status)


def _partitioned(wanted: int, rolling: Object, updated: int) -> Health:
    due = wanted - number(rolling, "partition")
    if wanted >= 0 and "partition" in rolling and updated < due:
        words = f"Waiting for partitioned roll out to finish: {updated} out of {due} new pods have been updated..."
        return Health(PROGRESSING, words)
    return Health(HEALTHY, f"partitioned roll out complete: {updated} new pods have been updated...")


def _revisions(status: Object) -> Health:
    update, current = text(status, "updateRevision"), text(status, "currentRevision")
    if update != current:
        updated = number(status, "updatedReplicas")
        return Health(
            PROGRESSING,
            f"waiting for statefulset rolling update to complete {updated} pods at revision {update}...",
        )
    there = number(status, "currentReplicas")
    return Health(HEALTHY, f"statefulset rolling update complete {there} pods at revision {current}...")


def daemon_set(obj: Object) -> Health:
    status, metadata = part(obj, "status"), part(obj, "metadata")
    if number(metadata, "generation") > number(status, "observedGeneration"):
        return Health(PROGRESSING, f"{_ROLLOUT} observed daemon set generation less than desired generation")
    wanted, updated = number(status, "desiredNumberScheduled"), number(status, "updatedNumberScheduled")
    if part(obj, "spec", "updateStrategy").get("type") == "OnDelete":
        return Health(HEALTHY, f"daemon set {updated} out of {wanted} new pods have been updated")
    waiting = f'Waiting for daemon set "{text(metadata, "name")}" rollout to finish:'
    if updated < wanted:
        return Health(PROGRESSING, f"{waiting} {updated} out of {wanted} new pods have been updated...")
    available = number(status, "numberAvailable")
    if available < wanted:
        return Health(PROGRESSING, f"{waiting} {available} of {wanted} updated pods are available...")
    return Health(HEALTHY)

"""Eviction: a delete that asks the disruption budgets first. What a budget allows is spent before the pod is deleted; `deletion` of
a pod that fails then is found out by the budget's controller.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from argosy.kube.errors import ApiError, Cause, bad_request, forbidden, too_many_requests
from argosy.kube.objects import Object, labels_of, name_of
from argosy.kube.schema import struct
from argosy.kube.server import ownership
from argosy.kube.server.api import answers, bodies, deleting, options
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.conditions import with_condition
from argosy.kube.server.api.writing import now
from argosy.kube.server.rules.label_selectors import matches
from argosy.kube.server.view import decoded
from argosy.kube.types import Kind
from argosy.kube.wire import Response

_BUDGETS = "poddisruptionbudgets.policy"
_ENDED = {"Succeeded", "Failed"}
_MOST_DISRUPTED = 2000
_KIND = Kind("policy", "v1", "Eviction")
_OLD = Kind("policy", "v1beta1", "Eviction")
"""The one version of a group that is gone which is still taken: `kubectl drain` said so until 1.21."""


async def evict(call: Call) -> Response:
    asked = options.writing(call.request, "CreateOptions")
    eviction = bodies.part(call, asked.validation, _said(call), struct("policy.v1.Eviction"))
    if name_of(eviction) != call.address.name:
        raise bad_request("name in URL does not match name in Eviction object")
    wanted = msgspec.convert(eviction.get("deleteOptions") or {}, deleting.DeleteOptions)
    if asked.dry_run:
        wanted = msgspec.structs.replace(wanted, dryRun=["All"])
    pod = decoded(call.latest())
    budget = None if _needs_no_leave(pod) else _leave(call, pod)
    deleting.check_preconditions(call, pod, wanted)
    if not wanted.dryRun:
        if budget is not None:
            await _spend(call, budget, pod)
        call.latest()
        await call.cluster.writer.put(call.key(), _marked(decoded(call.latest())))
    body = msgspec.json.encode({**msgspec.to_builtins(wanted), "preconditions": None})
    headers = {**call.request.headers, "content-type": "application/json"}
    await deleting.delete(replace(call, request=replace(call.request, body=body, headers=headers, query=())))
    return answers.plain(
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}, status=201
    )


def _said(call: Call) -> Kind:
    try:
        found, _ = bodies.value(call, find_duplicates=False)
    except ApiError:
        return _KIND  # told when it is read for good
    return _OLD if isinstance(found, dict) and found.get("apiVersion") == _OLD.api_version else _KIND


def _needs_no_leave(pod: Object) -> bool:
    phase = pod["status"].get("phase")
    return phase in {*_ENDED, "Pending"} or "deletionTimestamp" in pod["metadata"]


def _leave(call: Call, pod: Object) -> Object | None:
    """The budget that covers the pod and allows its disruption; None when nothing has to be spent for it."""
    covering = [
        budget
        for budget in call.cluster.view.list(_BUDGETS, call.address.namespace)
        if matches(budget["spec"].get("selector"), labels_of(pod))
    ]
    if len(covering) > 1:
        told = (
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        raise ApiError(500, "", told)  # documented so: the budgets are wrong, not who evicts
    if not covering:
        return None
    budget = covering[0]
    status = budget.get("status") or {}
    if not _is_ready(pod):
        healthy, desired = status.get("currentHealthy", 0), status.get("desiredHealthy", 0)
        if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow" or healthy >= desired > 0:
            return None
    _check_allowed(budget, status)
    return budget


def _check_allowed(budget: Object, status: Object) -> None:
    name = name_of(budget)
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise _too_many(f"The disruption budget {name} is still being processed by the server.", 10)
    allowed = status.get("disruptionsAllowed", 0)
    if allowed < 0 or len(status.get("disruptedPods") or {}) > _MOST_DISRUPTED:
        why = (
            "pdb disruptions allowed is negative"
            if allowed < 0
            else "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        )
        message = f'poddisruptionbudget.policy "{name}" is forbidden: {why}'
        raise forbidden(message, plural="poddisruptionbudget", name=name, group="policy")
    if not allowed:
        raise _too_many(_why_not(name, status), 0)


def _why_not(name: str, status: Object) -> str:
    found = [one for one in status.get("conditions") or () if one["type"] == "DisruptionAllowed"]
    condition = found[0] if found and found[0]["status"] == "False" and found[0].get("message") else None
    told = f"The disruption budget {name} does not allow evicting pods currently"
    if condition is not None and condition["reason"] == "SyncFailed":
        return f"{told} because it failed sync: {condition['message']}"
    desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    if healthy <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    return told if condition is None else f"{told} ({condition['reason']}): {condition['message']}"


def _too_many(why: str, seconds: int) -> ApiError:
    told = "Cannot evict pod as it would violate the pod's disruption budget."
    error = too_many_requests(told, retry_after=seconds)
    error.causes = (Cause("DisruptionBudget", why, ""),)
    return error


async def _spend(call: Call, budget: Object, pod: Object) -> None:
    old = msgspec.json.decode(msgspec.json.encode(budget), type=Object)
    new = msgspec.json.decode(msgspec.json.encode(budget), type=Object)
    status = new["status"]
    status["disruptionsAllowed"] -= 1
    if not status["disruptionsAllowed"]:
        why = {"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": ""}
        seen = {"observedGeneration": status.get("observedGeneration", 0)}
        status["conditions"] = with_condition(status.get("conditions"), {**why, **seen}, now())
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), name_of(pod): now()}
    ownership.own_update(
        new,
        old,
        struct("policy.v1.PodDisruptionBudget"),
        manager="kube-apiserver",
        subresource="status",
        time=now(),
    )
    key = call.key()._replace(collection=_BUDGETS, name=name_of(new))
    await call.cluster.writer.put(key, new)


def _marked(pod: Object) -> Object:
    why = {"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}
    condition = {"type": "DisruptionTarget", "status": "True", "lastProbeTime": None, **why}
    pod["status"]["conditions"] = with_condition(pod["status"].get("conditions"), condition, now())
    return pod


def _is_ready(pod: Object) -> bool:
    return any(
        one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions") or ()
    )

"""RollingSync: step after step, each application from Waiting over Pending and Progressing to Healthy. Pure.

Waiting: it has changes to come. Pending: its sync was asked for. Progressing: the sync began. The next step begins when all of
this one are Healthy. Whoever is Pending is written into the status before its sync is asked for, so that a crash in between
loses nothing and repeats nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from argosy.argo.cd.application_sets import conditions, steps
from argosy.argo.cd.application_sets.conditions import Condition
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.objects import Object, annotations_of, name_of
from argosy.kube.reconcile.times import parse, stamp

REFRESH, REFRESH_TIME = "argocd.argoproj.io/refresh", "argocd.argoproj.io/refresh-timestamp"
INITIATOR = "applicationset-controller"
_REVISION = "Application has pending changes, setting status to Waiting"
_SPEC = "Application has pending changes (spec differs), setting status to Waiting"
_BOTH = "Application has pending changes (revision and spec differ), setting status to Waiting"
_NEW = "No Application status found, defaulting status to Waiting"
_PENDING = "Application moved to Pending status, watching for the Application resource to start Progressing"
_DONE = ("Succeeded",)
_ENDED = ("Failed", "Error", "Succeeded")
_WHY = "ApplicationSet RollingSync triggered a sync of this Application resource"


@dataclass(frozen=True, slots=True)
class Rollout:
    """`refresh`: who must first look at its sources again; nothing goes on before."""

    statuses: list[Object]
    refresh: tuple[str, ...]
    conditions: list[Condition]
    turn: frozenset[str] = frozenset()
    is_waiting: bool = False

    @property
    def pending(self) -> dict[str, Object]:
        """Whose sync is to be asked for."""
        return {
            name: one
            for one in self.statuses
            if one["status"] == "Pending" and (name := one["application"]) in self.turn
        }


def advance(
    spec: SetSpec,
    status: Object,
    live: Sequence[Object],
    generated: Sequence[Object],
    spec_changed: Mapping[str, bool],
    now: datetime,
) -> Rollout:
    """`live`: the set's applications as they are; `spec_changed`: whose spec is not what was generated."""
    plan = steps.plan(spec, generated)
    before = {one["application"]: one for one in status.get("applicationStatus") or ()}
    since = _last_change(before.values())
    statuses = [
        _next(app, before.get(name_of(app)), plan.number(name_of(app)), spec_changed, now)
        for app in sorted(live, key=name_of)
    ]
    since = since or _last_change(statuses)
    stale = tuple(name_of(app) for app in live if since and _is_stale(app, since))
    if stale:
        refresh = tuple(name for app in live if (name := name_of(app)) in stale and not _is_asked(app))
        return Rollout(statuses, refresh, _conditions(spec, statuses, plan), is_waiting=True)
    allowed = _open(plan, statuses)
    statuses = _promoted(spec, plan, statuses, allowed, now)
    return Rollout(statuses, (), _conditions(spec, statuses, plan), frozenset(allowed))


def _next(
    app: Object, before: Object | None, step: str, spec_changed: Mapping[str, bool], now: datetime
) -> Object:
    """One application's status, as far as it goes by itself."""
    name, revisions = name_of(app), revisions_of(app)
    held = before or _status(name, "Waiting", _NEW, step, revisions, now)
    found = {**held, "step": step}
    new_revision = list(held.get("targetRevisions") or ()) != revisions
    new_spec = spec_changed.get(name, False)
    if new_revision or new_spec:
        words = _BOTH if new_revision and new_spec else _REVISION if new_revision else _SPEC
        found = _status(name, "Waiting", words, step, revisions, now)
    if found["status"] == "Waiting":
        return _from_waiting(app, found, now)
    if held["status"] == "Pending":
        return _from_pending(app, found, held, now)
    if held["status"] == "Progressing" and _sync(app) == "Synced" and _health(app) == "Healthy":
        words = "Application resource became Healthy, updating status from Progressing to Healthy"
        return _moved(found, "Healthy", words, now)
    return found


def _from_waiting(app: Object, found: Object, now: datetime) -> Object:
    """Not everything that changes needs a sync."""
    if _sync(app) != "Synced":
        return found
    to = "Healthy" if _health(app) == "Healthy" else "Progressing"
    return _moved(found, to, f"Application resource has synced, updating status to {to}", now)


def _from_pending(app: Object, found: Object, held: Object, now: datetime) -> Object:
    since = held.get("lastTransitionTime") or ""
    reconciled = _status_of(app).get("reconciledAt") or ""
    if reconciled and since and not _at_least(reconciled, since):
        return found
    if has_begun(app, held):
        phase = (_status_of(app).get("operationState") or {}).get("phase")
        words = "Application resource became Progressing, updating status from Pending to Progressing"
        if phase in _DONE:
            words = "Application resource completed a sync successfully, updating status from Pending to Progressing"
        elif phase in _ENDED:
            words = "Application resource completed a sync, updating status from Pending to Progressing"
        return _moved(found, "Progressing", words, now)
    if any(
        one.get("type") in {"InvalidSpecError", "UnknownError"}
        for one in _status_of(app).get("conditions") or ()
    ):
        words = "Application resource has error and cannot sync, updating status to Progressing"
        return _moved(found, "Progressing", words, now)
    return found


def has_begun(app: Object, pending: Object) -> bool:
    """Whether a sync began since it was asked for. Times have whole seconds, and a sync may begin in the one in which it was asked for:
    then it is ours when it says so, and goes to the revision that we asked for."""
    state = _status_of(app).get("operationState") or {}
    started, since = parse(state.get("startedAt")), parse(pending.get("lastTransitionTime"))
    if started is None or since is None or started < since:
        return False
    if started > since:
        return True
    operation = state.get("operation") or {}
    if (operation.get("initiatedBy") or {}).get("username") != INITIATOR:
        return False
    sync = operation.get("sync") or {}
    asked = sync.get("revisions") or ([sync["revision"]] if sync.get("revision") else [])
    return list(asked) == list(pending.get("targetRevisions") or ())


def _last_change(statuses: Iterable[Object]) -> str:
    """When the last application that is not new got something to wait for. All must have looked at their sources since."""
    times = [
        one["lastTransitionTime"]
        for one in statuses
        if one["status"] == "Waiting"
        and one["message"] in {_REVISION, _SPEC, _BOTH}
        and one.get("lastTransitionTime")
    ]
    return max(times, default="")


def _is_stale(app: Object, since: str) -> bool:
    return not _at_least(_status_of(app).get("reconciledAt") or "", since)


def _is_asked(app: Object) -> bool:
    return bool(annotations_of(app).get(REFRESH))


def _at_least(moment: str, since: str) -> bool:
    at, edge = parse(moment), parse(since)
    return at is not None and edge is not None and at >= edge


def _open(plan: steps.Plan, statuses: Sequence[Object]) -> set[str]:
    """Everybody up to and with the first step that is not done."""
    by_name = {one["application"]: one["status"] for one in statuses}
    found: set[str] = set()
    for members in plan.members:
        found |= set(members)
        if any(by_name.get(name) != "Healthy" for name in members):
            break
    return found


def _promoted(
    spec: SetSpec, plan: steps.Plan, statuses: Sequence[Object], allowed: set[str], now: datetime
) -> list[Object]:
    """From Waiting to Pending, as many of each step as may change at a time."""
    of_step = Counter(plan.step[one["application"]] for one in statuses if one["application"] in plan.step)
    moving = Counter(
        plan.step[one["application"]]
        for one in statuses
        if one["application"] in plan.step and one["status"] in {"Pending", "Progressing"}
    )
    limits: dict[int, int | None] = {}
    for at, step in enumerate(steps.steps_of(spec)):
        try:
            limits[at] = steps.allowed(step, of_step[at])
        except ValueError as error:
            plan.issues.updates[at] = str(error)
            limits[at] = 1
    found: list[Object] = []
    for one in statuses:
        step_of = plan.step.get(one["application"])
        if one["status"] == "Waiting" and one["application"] in allowed and step_of is not None:
            limit = limits[step_of]
            if limit is None or moving[step_of] < limit:
                one = _moved(one, "Pending", _PENDING, now)
                moving[step_of] += 1
        found.append(one)
    return found


def _conditions(spec: SetSpec, statuses: Sequence[Object], plan: steps.Plan) -> list[Condition]:
    told = plan.issues.told()
    invalid = (
        Condition(conditions.INVALID_ROLLOUT, "True", "ApplicationSetInvalidRolloutConfig", told)
        if told
        else Condition(
            conditions.INVALID_ROLLOUT,
            "False",
            "ApplicationSetValidRolloutConfig",
            "Rolling Sync Configured correctly",
        )
    )
    unfinished = {one["step"] for one in statuses if one["status"] != "Healthy"}
    step = next((at for at in range(1, len(steps.steps_of(spec)) + 1) if str(at) in unfinished), None)
    if step is not None:
        words = f"ApplicationSet is performing rollout of step {step}"
        return [invalid, Condition(conditions.PROGRESSING, "True", "ApplicationSetModified", words)]
    words = "ApplicationSet Rollout has completed"
    return [invalid, Condition(conditions.PROGRESSING, "False", "ApplicationSetRolloutComplete", words)]


def ordered(generated: Object, live: Object | None, pending: Mapping[str, Object]) -> Object:
    """With the order to sync when it is its turn and nobody began with it yet. An order of ours that was not taken is written anew, because
    the revision may be another one by now; somebody else's is left alone."""
    quiet, status = switched_off(generated), pending.get(name_of(generated))
    if status is None or live is None or has_begun(live, status):
        return quiet
    order = live.get("operation")
    if order is not None and (order.get("initiatedBy") or {}).get("username") != INITIATOR:
        return quiet
    return with_sync(quiet, generated, status.get("targetRevisions") or ())


def switched_off(app: Object) -> Object:
    """Its own automatic sync, because the set decides when. Shares what it does not change."""
    policy = app["spec"].get("syncPolicy") or {}
    automated = policy.get("automated")
    if automated is None:
        return app
    policy = {**policy, "automated": {**automated, "enabled": False}}
    return {**app, "spec": {**app["spec"], "syncPolicy": policy}}


def with_sync(app: Object, generated: Object, revisions: Sequence[str]) -> Object:
    """`app` with the order to sync, at the revisions that this rollout is about: a commit that comes meanwhile waits for its own."""
    policy = generated["spec"].get("syncPolicy") or {}
    automated = policy.get("automated")
    sync: Object = {}
    if generated["spec"].get("sources"):
        sync["revisions"] = list(revisions)
    elif revisions:
        sync["revision"] = revisions[0]
    if policy.get("syncOptions"):
        sync["syncOptions"] = policy["syncOptions"]
    if automated is not None and automated.get("enabled", True) and automated.get("prune"):
        sync["prune"] = True
    operation: Object = {
        "initiatedBy": {"username": INITIATOR, "automated": True},
        "info": [{"name": "Reason", "value": _WHY}],
        "sync": sync,
        "retry": policy.get("retry") or {"limit": 5},
    }
    return {**app, "operation": operation}


def revisions_of(app: Object) -> list[str]:
    sync = _status_of(app).get("sync") or {}
    return list(sync.get("revisions") or ()) or ([sync["revision"]] if sync.get("revision") else [])


def _status(
    name: str, status: str, message: str, step: str, revisions: Sequence[str], now: datetime
) -> Object:
    return {
        "application": name,
        "status": status,
        "message": message,
        "step": step,
        "targetRevisions": list(revisions),
        "lastTransitionTime": stamp(now),
    }


def _moved(one: Object, status: str, message: str, now: datetime) -> Object:
    return {**one, "status": status, "message": message, "lastTransitionTime": stamp(now)}


def _status_of(app: Object) -> Object:
    found = app.get("status")
    return found if isinstance(found, dict) else {}


def _sync(app: Object) -> str:
    return str((_status_of(app).get("sync") or {}).get("status", ""))


def _health(app: Object) -> str:
    return str((_status_of(app).get("health") or {}).get("status", ""))

"""Pods: how far they are, in one word, out of the states of all their containers."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.objects import Object
from argosy.kube.server.tables.ages import read, since
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
    Cells,
    Printer,
    age,
    name,
    spec,
    status,
    text,
    wide,
)
from argosy.kube.server.tables.wording import NONE, condition, conditions, containers, has_condition, labels

_COLUMNS = (
    NAME,
    text("Ready"),
    text("Status"),
    text("Restarts"),
    AGE,
    wide("IP"),
    wide("Node"),
    wide("Nominated Node"),
    wide("Readiness Gates"),
)


@dataclass(slots=True)
class _Restarts:
    """How often, and when the last one was."""

    count: int = 0
    last: str = ""

    def add(self, container: Object) -> None:
        self.count += container.get("restartCount") or 0
        finished = ((container.get("lastState") or {}).get("terminated") or {}).get("finishedAt")
        if finished and (not self.last or read(self.last) < read(finished)):
            self.last = finished

    def __str__(self) -> str:
        if self.count and self.last:
            return f"{self.count} ({since(self.last)} ago)"
        return str(self.count)


@dataclass(slots=True)
class _State:
    reason: str
    ready: int = 0
    restarts: str = ""


def _pod(obj: Object) -> Cells:
    of, now = spec(obj), status(obj)
    sidecars = {
        one.get("name") for one in of.get("initContainers") or () if one.get("restartPolicy") == "Always"
    }
    state = _state(obj, sidecars)
    addresses = now.get("podIPs") or [{}]
    return [
        name(obj),
        f"{state.ready}/{len(of.get('containers') or ()) + len(sidecars)}",
        _ending(obj, state.reason),
        state.restarts,
        age(obj),
        addresses[0].get("ip") or NONE,
        of.get("nodeName") or NONE,
        now.get("nominatedNodeName") or NONE,
        _gates(obj),
    ]


def _state(obj: Object, sidecars: set[object]) -> _State:
    now = status(obj)
    state = _State(now.get("reason") or now.get("phase") or "")
    scheduled = condition(obj, "PodScheduled")
    if scheduled is not None and scheduled.get("reason") == "SchedulingGated":
        state.reason = "SchedulingGated"
    all_init, sidecars_only = _Restarts(), _Restarts()
    initializing = _init(obj, sidecars, state, all_init, sidecars_only)
    if initializing and not has_condition(obj, "Initialized"):
        state.restarts = str(all_init)
        return state
    for container in now.get("containerStatuses") or ():
        sidecars_only.add(container)
    state.restarts = str(sidecars_only)
    _main(obj, state)
    return state


def _init(
    obj: Object, sidecars: set[object], state: _State, every: _Restarts, sidecars_only: _Restarts
) -> bool:
    """Whether one of the init containers is what the pod waits for."""
    for at, container in enumerate(status(obj).get("initContainerStatuses") or ()):
        is_sidecar = container.get("name") in sidecars
        every.add(container)
        if is_sidecar:
            sidecars_only.add(container)
        now = container.get("state") or {}
        ended, waiting = now.get("terminated"), now.get("waiting") or {}
        if ended is not None and not ended.get("exitCode"):
            continue
        if is_sidecar and container.get("started"):
            state.ready += bool(container.get("ready"))
            continue
        if ended is not None:
            state.reason = "Init:" + _ended(ended)
        elif waiting.get("reason") and waiting["reason"] != "PodInitializing":
            state.reason = f"Init:{waiting['reason']}"
        else:
            state.reason = f"Init:{at}/{len(spec(obj).get('initContainers') or ())}"
        return True
    return False


def _main(obj: Object, state: _State) -> None:
    running, failed = False, ""
    for container in reversed(status(obj).get("containerStatuses") or ()):
        now = container.get("state") or {}
        waiting, ended = (now.get("waiting") or {}).get("reason"), now.get("terminated")
        if waiting:
            state.reason = waiting
        elif ended is not None:
            state.reason = _ended(ended)
            if ended.get("exitCode"):
                failed = state.reason
        elif container.get("ready") and now.get("running") is not None:
            running = True
            state.ready += 1
    if state.reason == "Completed":
        if running and any(
            one.get("type") == "Ready" and one.get("status") == "True" for one in conditions(obj)
        ):
            state.reason = "Running"
        elif failed:
            state.reason = failed
        elif running:
            state.reason = "NotReady"


def _ended(found: Object) -> str:
    if found.get("reason"):
        return str(found["reason"])
    if found.get("signal"):
        return f"Signal:{found['signal']}"
    return f"ExitCode:{found.get('exitCode', 0)}"


def _ending(obj: Object, reason: str) -> str:
    if not obj["metadata"].get("deletionTimestamp"):
        return reason
    if status(obj).get("reason") == "NodeLost":
        return "Unknown"
    return reason if status(obj).get("phase") in {"Succeeded", "Failed"} else "Terminating"


def _gates(obj: Object) -> str:
    gates = spec(obj).get("readinessGates") or ()
    if not gates:
        return NONE
    met = sum(has_condition(obj, one.get("conditionType", "")) for one in gates)
    return f"{met}/{len(gates)}"


def _ended_row(obj: Object) -> list[Object]:
    words = {"Succeeded": "The pod has completed successfully.", "Failed": "The pod failed."}
    phase = status(obj).get("phase")
    if phase not in words:
        return []
    return [{"type": "Completed", "status": "True", "reason": phase, "message": words[phase]}]


def _pod_template(obj: Object) -> Cells:
    template = obj.get("template") or {}
    return [
        name(obj),
        *containers(spec(template)),
        labels((template.get("metadata") or {}).get("labels")),
    ]


PRINTERS = {
    "pods": Printer(_COLUMNS, _pod, _ended_row),
    "podtemplates": Printer((NAME, text("Containers"), text("Images"), text("Pod Labels")), _pod_template),
}

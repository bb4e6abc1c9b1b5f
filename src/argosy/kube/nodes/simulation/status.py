"""A pod's status as its kubelet would write it, out of the states of its containers; and those states out of a status, after a
restart. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from argosy.kube.nodes.simulation.life import SHOWN_AS_ERROR, Container, Ended, Phase, is_over, is_sidecar
from argosy.kube.nodes.simulation.wishes import Behaviour
from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile.times import parse, stamp

_OWN = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
KILLED = 143


def shown(
    pod: Object,
    states: Mapping[str, Container],
    behaviour_of: Callable[[Object, bool], Behaviour],
    *,
    addresses: tuple[str, str],
    now: float,
) -> Object:
    """`addresses`: the node's and the pod's."""
    spec, old = pod["spec"], pod.get("status") or {}
    initial = [
        _container(pod, one, states, behaviour_of(one, True), now, first=True)
        for one in spec.get("initContainers") or ()
    ]
    regular = [_container(pod, one, states, behaviour_of(one, False), now) for one in spec["containers"]]
    phase = _phase(pod, states)
    host, address = addresses
    status: Object = {
        "observedGeneration": pod["metadata"].get("generation", 1),
        "phase": phase,
        "hostIP": host,
        "hostIPs": [{"ip": host}],
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": old.get("startTime") or stamp(_moment(now)),
        "qosClass": old.get("qosClass") or qos_class(pod),
        "conditions": _conditions(pod, phase, initial, regular, now),
        "containerStatuses": regular,
    }
    if initial:
        status["initContainerStatuses"] = initial
    if ephemeral := [
        {**_container(pod, one, states, behaviour_of(one, False), now), "ready": False}
        for one in spec.get("ephemeralContainers") or ()
    ]:
        status["ephemeralContainerStatuses"] = ephemeral
    return status


def killed(pod: Object, status: Object, now: float) -> Object:
    """The status of a pod that was stopped: what ran has ended, by our signal."""
    ended = [_ended(one, now) for one in status.get("containerStatuses") or ()]
    codes = [one["state"]["terminated"]["exitCode"] for one in ended if "terminated" in one["state"]]
    phase = status.get("phase")
    if phase not in {"Succeeded", "Failed"}:
        phase = "Succeeded" if codes and not any(codes) else "Failed"
    conditions = [
        {**one, "status": "False", "reason": "PodFailed" if phase == "Failed" else "PodCompleted"}
        if one["type"] in {"Ready", "ContainersReady"}
        else one
        for one in status.get("conditions") or ()
    ]
    return {**status, "phase": phase, "containerStatuses": ended, "conditions": conditions}


def _ended(container: Object, now: float) -> Object:
    running = container.get("state", {}).get("running")
    if running is None:
        return {**container, "ready": False, "started": False}
    terminated = {
        "exitCode": KILLED,
        "reason": "Error",
        "startedAt": running.get("startedAt"),
        "finishedAt": stamp(_moment(now)),
        "containerID": container.get("containerID", ""),
    }
    return {**container, "state": {"terminated": terminated}, "ready": False, "started": False}


def recovered(pod: Object, now: float) -> dict[str, Container]:
    """Where its containers were when the process before this one wrote the status."""
    status = pod.get("status") or {}
    kinds = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
    found = [one for kind in kinds for one in status.get(kind) or ()]
    return {one["name"]: _recovered(one, now) for one in found}


def _recovered(container: Object, now: float) -> Container:
    state, last = container.get("state") or {}, container.get("lastState") or {}
    restarts = int(container.get("restartCount") or 0)
    terminated = state.get("terminated") or last.get("terminated")
    ended = _end_of(terminated, now) if terminated else None
    crashes = restarts + 1 if ended else 0
    phase: Phase = "waiting"
    since = now
    if running := state.get("running"):
        phase, since = "running", _seconds(running.get("startedAt"), now)
        crashes = restarts
    elif state.get("terminated") and ended is not None:
        phase, since = "exited", ended.finished
    elif (state.get("waiting") or {}).get("reason") == "CrashLoopBackOff":
        phase, since = "backoff", ended.finished if ended else now
    return Container(phase, since, restarts, 0, crashes, ended)


def _end_of(terminated: Object, now: float) -> Ended:
    return Ended(
        int(terminated.get("exitCode") or 0),
        _seconds(terminated.get("startedAt"), now),
        _seconds(terminated.get("finishedAt"), now),
    )


def qos_class(pod: Object) -> str:
    containers = [*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ())]
    asked = [one.get("resources") or {} for one in containers]
    if not any(one.get("requests") or one.get("limits") for one in asked):
        return "BestEffort"
    for one in asked:
        limits, requests = one.get("limits") or {}, one.get("requests") or {}
        if any(
            name not in limits or requests.get(name, limits[name]) != limits[name]
            for name in ("cpu", "memory")
        ):
            return "Burstable"
    return "Guaranteed"


def _phase(pod: Object, states: Mapping[str, Container]) -> str:
    found = [states.get(one["name"], Container()) for one in pod["spec"]["containers"]]
    if is_over(pod, states):
        succeeded = all(one.ended is not None and one.ended.code == 0 for one in found)
        return "Succeeded" if succeeded else "Failed"
    return "Running" if any(one.phase in {"running", "exited", "backoff"} for one in found) else "Pending"


def _container(
    pod: Object,
    container: Object,
    states: Mapping[str, Container],
    behaviour: Behaviour,
    now: float,
    *,
    first: bool = False,
) -> Object:
    name, image = container["name"], container["image"]
    state = states.get(name, Container())
    mark = hashlib.blake2b(f"{uid_of(pod)}/{name}/{state.restarts}".encode(), digest_size=32).hexdigest()
    runs = state.phase == "running"
    ran = runs or state.phase in {"exited", "backoff"}
    shown_state, last = _states(pod, state, behaviour, f"simulated://{mark}", now)
    found: Object = {
        "name": name,
        "state": shown_state,
        "lastState": last,
        "ready": _is_ready(container, state, behaviour, now, first=first),
        "restartCount": state.restarts,
        "image": image,
        "imageID": f"simulated://{_digest(image)}" if ran else "",
        "started": runs,
    }
    if ran:
        found["containerID"] = f"simulated://{mark}"
    if container.get("resources"):
        found["resources"] = container["resources"]
    return found


def _is_ready(container: Object, state: Container, behaviour: Behaviour, now: float, *, first: bool) -> bool:
    if first and not is_sidecar(container):
        return state.phase == "exited" and state.ended is not None and state.ended.code == 0
    if state.phase != "running" or behaviour.never_ready:
        return False
    return now >= state.since + behaviour.ready_after


def _states(
    pod: Object, state: Container, behaviour: Behaviour, mark: str, now: float
) -> tuple[Object, Object]:
    """Of now, and of the run before."""
    last: Object = {"terminated": _terminated(state.ended, mark)} if state.ended else {}
    match state.phase:
        case "running":
            return {"running": {"startedAt": stamp(_moment(state.since))}}, last
        case "exited":
            return last, {}
        case "backoff":
            words = f"back-off restarting failed container in pod {pod['metadata']['name']}"
            return {"waiting": {"reason": "CrashLoopBackOff", "message": words}}, last
        case "unpullable":
            return {"waiting": _not_pulled(state, behaviour, now)}, last
    initial = pod["spec"].get("initContainers")
    return {"waiting": {"reason": "PodInitializing" if initial else "ContainerCreating"}}, last


def _not_pulled(state: Container, behaviour: Behaviour, now: float) -> Object:
    if "invalid reference format" in behaviour.pull_fails:
        return {"reason": "InvalidImageName", "message": behaviour.pull_fails}
    if now < state.since + SHOWN_AS_ERROR:
        return {"reason": "ErrImagePull", "message": behaviour.pull_fails}
    return {
        "reason": "ImagePullBackOff",
        "message": f"Back-off pulling image: ErrImagePull: {behaviour.pull_fails}",
    }


def _terminated(ended: Ended, mark: str) -> Object:
    return {
        "exitCode": ended.code,
        "reason": "Error" if ended.code else "Completed",
        "startedAt": stamp(_moment(ended.started)),
        "finishedAt": stamp(_moment(ended.finished)),
        "containerID": mark,
    }


def _conditions(
    pod: Object, phase: str, initial: list[Object], regular: list[Object], now: float
) -> list[Object]:
    old = {one["type"]: one for one in (pod.get("status") or {}).get("conditions") or ()}
    waiting = [one["name"] for one in initial if not one["ready"]]
    unready = [one["name"] for one in regular if not one["ready"]]
    done, ready, gates = _done(phase), not unready, _closed_gates(pod, old)
    said = {
        "PodReadyToStartContainers": (not done, "", ""),
        "Initialized": (
            (not waiting or phase == "Succeeded", "PodCompleted" if phase == "Succeeded" else "", "")
            if not waiting or phase == "Succeeded"
            else (
                False,
                "ContainersNotInitialized",
                f"containers with incomplete status: [{' '.join(waiting)}]",
            )
        ),
        "Ready": (ready and not gates, *_why_not(phase, unready, gates)),
        "ContainersReady": (ready, *_why_not(phase, unready, "")),
        "PodScheduled": (True, "", ""),
    }
    generation = pod["metadata"].get("generation", 1)
    found = [_condition(name, *said[name], old.get(name), generation, now) for name in _OWN]
    return found + [one for name, one in old.items() if name not in said]


def _done(phase: str) -> bool:
    return phase in {"Succeeded", "Failed"}


def _why_not(phase: str, unready: list[str], gates: str) -> tuple[str, str]:
    if phase == "Succeeded":
        return "PodCompleted", ""
    if phase == "Failed":
        return "PodFailed", ""
    if unready:
        return "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]"
    return ("ReadinessGatesNotReady", gates) if gates else ("", "")


def _closed_gates(pod: Object, conditions: Mapping[str, Object]) -> str:
    for gate in pod["spec"].get("readinessGates") or ():
        found = conditions.get(gate["conditionType"])
        if found is None:
            return f'corresponding condition of pod readiness gate "{gate["conditionType"]}" does not exist.'
        if found.get("status") != "True":
            return f'the status of pod readiness gate "{gate["conditionType"]}" is not "True", but {found["status"]}'
    return ""


def _condition(
    kind: str, true: bool, reason: str, message: str, old: Object | None, generation: int, now: float
) -> Object:
    state = "True" if true else "False"
    changed = old is None or old.get("status") != state or not old.get("lastTransitionTime")
    since = stamp(_moment(now)) if changed else (old or {})["lastTransitionTime"]
    found: Object = {"type": kind, "status": state, "lastProbeTime": None, "lastTransitionTime": since}
    found["observedGeneration"] = generation
    if reason:
        found["reason"] = reason
    if message:
        found["message"] = message
    return found


def _digest(image: str) -> str:
    return f"{image.split('@', maxsplit=1)[0]}@sha256:{hashlib.sha256(image.encode()).hexdigest()}"


def _moment(now: float) -> datetime:
    return datetime.fromtimestamp(now, UTC)


def _seconds(text: object, default: float) -> float:
    found = parse(text)
    return found.timestamp() if found else default

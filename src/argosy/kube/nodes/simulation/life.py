"""The life of a simulated pod's containers, as a state machine. Pure: state and time in, state and what happened out.

Containers are pulled, run, exit, wait longer and longer, and run again; those that come first end before the others start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from argosy.kube.nodes.simulation.wishes import Behaviour
from argosy.kube.objects import Object

Phase: TypeAlias = Literal["waiting", "pulling", "unpullable", "running", "exited", "backoff"]
_FIRST_PAUSE, _LONGEST_PAUSE = 10.0, 300.0
SHOWN_AS_ERROR = 1.0
"""For how long a failed pull is an error, before it is a pause."""
_CALM = 600.0
"""Who ran this long starts over with the short pauses."""


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    started: float
    finished: float


@dataclass(frozen=True, slots=True)
class Container:
    phase: Phase = "waiting"
    since: float = 0.0
    restarts: int = 0
    pulls: int = 0
    """Failed in a row."""
    crashes: int = 0
    """In a row: they decide how long it waits."""
    ended: Ended | None = None
    """The run before this one; this one itself when it has exited."""


class Happened(NamedTuple):
    """For an event. `container` is its name, or nothing when the pod is meant."""

    warning: bool
    reason: str
    message: str
    container: str = ""


@dataclass(slots=True)
class Step:
    containers: dict[str, Container]
    happened: list[Happened] = field(default_factory=list)
    due: float | None = None
    """When the next thing happens by itself."""

    def wait_until(self, moment: float) -> None:
        self.due = moment if self.due is None else min(self.due, moment)


BehaviourOf: TypeAlias = Callable[[Object, bool], Behaviour]
"""Of a container of the spec; whether it is one that comes first."""


def advance(
    pod: Object, states: Mapping[str, Container], behaviour_of: BehaviourOf, present: set[str], now: float
) -> Step:
    """Everything that happens up to `now`. `present`: images that the node has; those pulled are added."""
    step = Step(dict(states))
    spec = pod["spec"]
    for container in spec.get("initContainers") or ():
        if not _first(step, pod, container, behaviour_of, present, now):
            return step
    for container in spec["containers"]:
        behaviour = behaviour_of(container, False)
        _move(step, container, behaviour, spec.get("restartPolicy", "Always"), present, now)
    for container in spec.get("ephemeralContainers") or ():
        _move(step, container, behaviour_of(container, False), "Never", present, now)
    if is_over(pod, step.containers):
        _stop_sidecars(step, pod, now)
    return step


def is_over(pod: Object, states: Mapping[str, Container]) -> bool:
    """Nothing of it will run again."""
    policy = pod["spec"].get("restartPolicy", "Always")
    if any(_failed_for_good(one, policy, states) for one in _initial(pod)):
        return True
    found = [states.get(one["name"], Container()) for one in pod["spec"]["containers"]]
    return all(one.phase == "exited" and not _restarts(one, policy) for one in found)


def is_sidecar(container: Object) -> bool:
    return container.get("restartPolicy") == "Always"


def pause(crashes: int) -> float:
    return 0.0 if crashes <= 1 else min(_FIRST_PAUSE * 2.0 ** (crashes - 2), _LONGEST_PAUSE)


def _initial(pod: Object) -> list[Object]:
    return [one for one in pod["spec"].get("initContainers") or () if not is_sidecar(one)]


def _failed_for_good(container: Object, policy: str, states: Mapping[str, Container]) -> bool:
    state = states.get(container["name"], Container())
    failed = state.phase == "exited" and state.ended is not None and state.ended.code != 0
    return failed and policy == "Never"


def _first(
    step: Step, pod: Object, container: Object, behaviour_of: BehaviourOf, present: set[str], now: float
) -> bool:
    """Whether the next one may start."""
    side = is_sidecar(container)
    behaviour = behaviour_of(container, True)
    if side:
        behaviour = replace(behaviour, run_for=None)
    policy = pod["spec"].get("restartPolicy", "Always")
    _move(step, container, behaviour, "Always" if side else _policy_first(policy), present, now)
    state = step.containers[container["name"]]
    if side:
        return state.phase == "running"
    return state.phase == "exited" and state.ended is not None and state.ended.code == 0


def _policy_first(policy: str) -> str:
    return "OnFailure" if policy == "Always" else policy


def _move(
    step: Step, container: Object, behaviour: Behaviour, policy: str, present: set[str], now: float
) -> None:
    """One container through all the states that are due."""
    name = container["name"]
    while True:
        state = step.containers.get(name, Container())
        after = _next(step, state, container, behaviour, policy, present, now)
        step.containers[name] = after
        if after is state or after == state:
            return


def _next(
    step: Step,
    state: Container,
    container: Object,
    behaviour: Behaviour,
    policy: str,
    present: set[str],
    now: float,
) -> Container:
    name, image = container["name"], container["image"]
    match state.phase:
        case "waiting":
            if _is_here(container, present) and not behaviour.pull_fails:
                words = f'Container image "{image}" already present on machine and can be accessed by the pod'
                step.happened.append(Happened(False, "Pulled", words, name))
                return _started(step, state, name, now)
            step.happened.append(Happened(False, "Pulling", f'Pulling image "{image}"', name))
            return replace(state, phase="pulling", since=now)
        case "pulling":
            return _pulled(step, state, container, behaviour, present, now)
        case "unpullable":
            retry = state.since + pause(state.pulls + 1)
            if now < retry:
                step.wait_until(state.since + SHOWN_AS_ERROR if now < state.since + SHOWN_AS_ERROR else retry)
                return state
            return replace(state, phase="waiting", since=now)
        case "running":
            return _ran(step, state, behaviour, now)
        case "exited":
            return _after_exit(step, state, name, policy, now)
        case "backoff":
            until = state.since + pause(state.crashes)
            if now < until:
                step.wait_until(until)
                return state
            words = f'Container image "{image}" already present on machine and can be accessed by the pod'
            step.happened.append(Happened(False, "Pulled", words, name))
            return _started(step, replace(state, restarts=state.restarts + 1), name, now)


def _is_here(container: Object, present: set[str]) -> bool:
    return container["image"] in present and container.get("imagePullPolicy") != "Always"


def _pulled(
    step: Step, state: Container, container: Object, behaviour: Behaviour, present: set[str], now: float
) -> Container:
    until = state.since + behaviour.pull
    if now < until:
        step.wait_until(until)
        return state
    name, image = container["name"], container["image"]
    if behaviour.pull_fails:
        words = f'Failed to pull image "{image}": {behaviour.pull_fails}'
        step.happened.append(Happened(True, "Failed", words, name))
        step.happened.append(Happened(True, "Failed", "Error: ErrImagePull", name))
        step.happened.append(Happened(False, "BackOff", f'Back-off pulling image "{image}"', name))
        return replace(state, phase="unpullable", since=now, pulls=state.pulls + 1)
    present.add(image)
    took = _took(now - state.since)
    words = f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: 0 bytes.'
    step.happened.append(Happened(False, "Pulled", words, name))
    return _started(step, replace(state, pulls=0), name, now)


def _took(seconds: float) -> str:
    return f"{seconds:.3g}s" if seconds >= 1 else f"{round(seconds * 1000)}ms"


def _started(step: Step, state: Container, name: str, now: float) -> Container:
    step.happened.append(Happened(False, "Created", "Container created", name))
    step.happened.append(Happened(False, "Started", "Container started", name))
    return replace(state, phase="running", since=now)


def _ran(step: Step, state: Container, behaviour: Behaviour, now: float) -> Container:
    if not behaviour.never_ready and behaviour.ready_after and now < state.since + behaviour.ready_after:
        step.wait_until(state.since + behaviour.ready_after)
    if behaviour.run_for is None:
        return state
    until = state.since + behaviour.run_for
    if now < until:
        step.wait_until(until)
        return state
    crashes = 1 if now - state.since > _CALM else state.crashes + 1
    ended = Ended(behaviour.exit_code, state.since, now)
    return replace(state, phase="exited", since=now, ended=ended, crashes=crashes)


def _restarts(state: Container, policy: str) -> bool:
    code = state.ended.code if state.ended else 0
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _after_exit(step: Step, state: Container, name: str, policy: str, now: float) -> Container:
    if not _restarts(state, policy):
        return state
    if state.crashes > 1:
        words = f"Back-off restarting failed container {name} in pod "
        step.happened.append(Happened(True, "BackOff", words, name))
    return replace(state, phase="backoff", since=now)


def _stop_sidecars(step: Step, pod: Object, now: float) -> None:
    for container in pod["spec"].get("initContainers") or ():
        state = step.containers.get(container["name"])
        if is_sidecar(container) and state is not None and state.phase == "running":
            ended = Ended(0, state.since, now)
            step.containers[container["name"]] = replace(state, phase="exited", since=now, ended=ended)

"""One object's turn in a sync, and how it went so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.argo.cd import marks
from argosy.argo.cd.marks import SyncPhase
from argosy.argo.cd.resources import ResourceKey, key_of
from argosy.contracts.argo.operation import Phase, ResourceResult, ResultCode
from argosy.kube.objects import Object, group_version, namespace_of
from argosy.kube.types import Kind

_COMPLETED = frozenset({"Failed", "Error", "Succeeded"})


@dataclass(slots=True, eq=False)
class Task:
    """Without a target the live object is pruned; without a live one the target is created."""

    phase: SyncPhase
    target: Object | None
    live: Object | None
    wave: int = 0
    result: ResultCode | str = ""
    state: Phase | str = ""
    message: str = ""
    skip_dry_run: bool = False
    kind: Kind = field(init=False)
    key: ResourceKey = field(init=False)
    is_hook: bool = field(init=False)

    def __post_init__(self) -> None:
        obj = self.object
        group, version = group_version(obj)
        self.kind = Kind(group, version, str(obj.get("kind", "")))
        self.key = key_of(obj)
        if self.live is not None:  # which knows its scope
            self.key = self.key._replace(namespace=namespace_of(self.live))
        self.is_hook = marks.is_hook(obj)
        self.wave = marks.wave(obj)

    @property
    def object(self) -> Object:
        found = self.target if self.target is not None else self.live
        assert found is not None
        return found

    @property
    def is_prune(self) -> bool:
        return self.target is None

    @property
    def pending(self) -> bool:
        return not self.state

    @property
    def running(self) -> bool:
        return self.state == "Running"

    @property
    def completed(self) -> bool:
        return self.state in _COMPLETED

    @property
    def successful(self) -> bool:
        return self.state == "Succeeded"

    @property
    def deleted_before_creation(self) -> bool:
        return self.is_hook and self.live is not None and self.pending and self._policy("BeforeHookCreation")

    def deleted_on(self, policy: marks.DeletePolicy) -> bool:
        """Whether its live object is to go when the sync ends like this."""
        return self.is_hook and self.live is not None and self._policy(policy)

    def record(self, result: ResultCode | str, state: Phase | str, message: str) -> None:
        """The latest message stays."""
        self.result, self.state = result, state
        if message:
            self.message = message

    def _policy(self, policy: marks.DeletePolicy) -> bool:
        return policy in marks.delete_policies(self.object)


def resume(tasks: list[Task], results: list[ResourceResult]) -> None:
    """What is recorded of earlier steps."""
    known = {(result_key(one), one.sync_phase): one for one in results}
    for task in tasks:
        found = known.get((task.key, task.phase))
        if found is not None:
            task.result, task.state, task.message = found.status, found.hook_phase, found.message


def results(tasks: list[Task], earlier: list[ResourceResult]) -> list[ResourceResult]:
    """The record: what was there before keeps its place, also of objects that are no longer tasks."""
    found: dict[tuple[ResourceKey, str], ResourceResult] = {
        (task.key, task.phase): _result(task) for task in tasks if task.result or task.state
    }
    kept = [found.pop((result_key(one), one.sync_phase), one) for one in earlier]
    return kept + list(found.values())


def result_key(result: ResourceResult) -> ResourceKey:
    return ResourceKey(result.group, result.kind, result.namespace, result.name)


def _result(task: Task) -> ResourceResult:
    return ResourceResult(
        group=task.key.group,
        version=task.kind.version,
        kind=task.key.kind,
        namespace=task.key.namespace,
        name=task.key.name,
        status=task.result,  # type: ignore[arg-type]  # the literals of the wire
        message=task.message,
        hook_type=task.phase if task.is_hook else "",
        hook_phase=task.state,  # type: ignore[arg-type]
        sync_phase=task.phase,
        images=images(task.object),
    )


def images(obj: Object) -> list[str]:
    """Of a workload's containers; best effort, as it is shown and not decided upon."""
    spec = obj.get("spec")
    if not isinstance(spec, dict):
        return []
    for step in ("jobTemplate", "spec", "template", "spec"):
        inner = spec.get(step)
        spec = inner if isinstance(inner, dict) else spec
    found: list[str] = []
    for group in ("initContainers", "containers"):
        containers = spec.get(group)
        for one in containers if isinstance(containers, list) else ():
            image = one.get("image") if isinstance(one, dict) else None
            if isinstance(image, str) and image and image not in found:
                found.append(image)
    return found

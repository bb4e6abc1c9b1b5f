"""What is particular about a kind: its defaults, what a write may change, what is valid.

The API calls these in the order in which they stand here, always on a copy of its own that was decoded by the schema (unknown
fields gone, types right), and never while awaiting. The functions are pure but for the object that they fill in.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.types import Resource

_ORPHANING: Final = frozenset({"jobs.batch", "replicationcontrollers"})
_RETURNED: Final = frozenset(
    {
        "namespaces",
        "persistentvolumeclaims",
        "persistentvolumes",
        "pods",
        "podtemplates",
        "resourcequotas",
        "serviceaccounts",
        "services",
        "csidrivers.storage.k8s.io",
        "csinodes.storage.k8s.io",
        "storageclasses.storage.k8s.io",
        "volumeattachments.storage.k8s.io",
        "volumeattributesclasses.storage.k8s.io",
    }
)


class Steps(NamedTuple):
    """Both look at the new state and at the one before."""

    prepare: Callable[[Object, Object], None]
    validate: Callable[[Object, Object], list[Cause]]


class Rules:
    """Of a kind with `spec` and perhaps `status`; kinds that differ override what differs."""

    unconditional_update = True
    """Whether a PUT may leave out the resourceVersion."""
    slow_from: int | None = None
    """Objects of so many bytes take long to check, and are checked beside the loop."""
    create_on_update = False
    """Whether a PUT may create (leases, roles' bindings and a few more)."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    @property
    def orphans(self) -> bool:
        """Whether a delete that does not say leaves the dependents alone."""
        return self.resource.group_resource in _ORPHANING

    @property
    def returns_deleted(self) -> bool:
        """Whether a delete answers with the object rather than with a status."""
        return self.resource.group_resource in _RETURNED

    @property
    def has_status(self) -> bool:
        return "status" in self.resource.subresources

    def default(self, obj: Object) -> None:
        """Fill in what was left out, on every write and on what a patch made."""

    def prepare_create(self, obj: Object) -> None:
        """What only the system may set is taken away; generation 1 where there is one."""
        if self.has_status:
            obj.pop("status", None)
        if self.has_generation(obj):
            obj["metadata"]["generation"] = 1

    def prepare_update(self, new: Object, old: Object) -> None:
        """A write of the object itself: its status stays, its generation rises when the spec changed."""
        if self.has_status:
            _keep(new, old, "status")
        self.keep_generation(new, old)
        if self.has_generation(new) and self.changed(new, old):
            new["metadata"]["generation"] = int(old["metadata"].get("generation", 0)) + 1

    def prepare_status(self, new: Object, old: Object) -> None:
        """A write of the status: everything else stays, but for the metadata that a status update may touch."""
        for part in {*new, *old} - {"status", "metadata", "apiVersion", "kind"}:
            _keep(new, old, part)
        self.keep_generation(new, old)

    def steps(self, subresource: str) -> Steps:
        """How a write is prepared and validated. Kinds with subresources that have rules of their own add those."""
        if subresource == "status":
            return Steps(self.prepare_status, self.validate_status)
        return Steps(self.prepare_update, self.validate_update)

    def validate(self, obj: Object) -> list[Cause]:
        """Everything that is wrong with a new object."""
        return []

    def tolerated(self) -> list[str]:
        """What the validation just made found wrong and let pass, because it was so before. Told even if the rest is refused."""
        return []

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        """Everything that is wrong with a write to an old one."""
        return []

    def validate_status(self, new: Object, old: Object) -> list[Cause]:
        return []

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """For the `Warning` header."""
        return []

    def fields(self, obj: Object) -> dict[str, str]:
        """What field selectors may ask, beside the name and the namespace: always the same fields, whatever is set."""
        return {}

    @cached_property
    def field_names(self) -> frozenset[str]:
        return frozenset(self.fields({"metadata": {}, "spec": {}, "status": {}}))

    def grace(self, obj: Object, asked: int | None) -> int | None:
        """How many seconds a delete waits; None for kinds that go at once (all but pods)."""
        return None

    def holds(self, obj: Object) -> bool:
        """Whether it stays after a delete for reasons of its own (a namespace, until it is empty)."""
        return False

    def prepare_deletion(self, obj: Object) -> None:
        """What changes when it is marked (a namespace's phase)."""

    def has_generation(self, obj: Object) -> bool:
        return "spec" in obj

    def changed(self, new: Object, old: Object) -> bool:
        """Whether the generation rises."""
        return new.get("spec") != old.get("spec")

    @staticmethod
    def keep_generation(new: Object, old: Object) -> None:
        _keep(new["metadata"], old["metadata"], "generation")


def _keep(new: Object, old: Object, part: str) -> None:
    if part in old:
        new[part] = old[part]
    else:
        new.pop(part, None)

"""What the rules of all built-in kinds have in common: their metadata is checked, each with its own form of name.

`validate` answers everything that is wrong with a new object, `validate_update` and `validate_status` everything that is wrong with a
write to an old one: nobody has to call two of them. Causes come in upstream's order and as often as upstream finds them.
"""

from __future__ import annotations

from typing import ClassVar

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.rules import Rules


class Builtin(Rules):
    generation = False
    """Whether the kind counts its changes in `metadata.generation`."""
    new_status: ClassVar[Object] = {}
    """What the status of a new object says before anybody has looked at it."""
    standard_finalizers = True
    """Whether a finalizer without a domain must be one of Kubernetes' own."""
    repeats_metadata = True
    """Whether upstream checks the metadata of a changed object a second time."""

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        if self.has_status:
            obj["status"] = dict(self.new_status)

    def check_name(self, name: str, prefix: bool) -> Messages:
        return formats.subdomain_name(name, prefix)

    def check(self, obj: Object) -> list[Cause]:
        """What is wrong with a new object, apart from its metadata."""
        return []

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        """What is wrong with a changed one, apart from what is wrong with any change of metadata."""
        return self.check(new)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return []

    def validate(self, obj: Object) -> list[Cause]:
        return [*self.check_metadata(obj), *self.check(obj)]

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return [*self.changed_metadata(new, old), *self.check_update(new, old)]

    def validate_status(self, new: Object, old: Object) -> list[Cause]:
        return [*self.changed_metadata(new, old), *self.check_status(new, old)]

    def check_metadata(self, obj: Object) -> list[Cause]:
        meta = metadata.of(obj)
        causes = metadata.check(meta, namespaced=self.resource.namespaced, names=self.check_name)
        if self.standard_finalizers and meta.get("finalizers"):
            causes += metadata.check_standard_finalizers(meta)
        return causes

    def check_plain_metadata(self, obj: Object) -> list[Cause]:
        """What holds for every object, whatever its kind says of names."""
        return metadata.check(metadata.of(obj), namespaced=self.resource.namespaced)

    def changed_metadata(self, new: Object, old: Object) -> list[Cause]:
        meta = metadata.of(new)
        causes = self.check_plain_metadata(new)
        changed = metadata.check_update(meta, metadata.of(old))
        causes += changed
        if self.repeats_metadata:
            causes += changed
            if self.standard_finalizers and meta.get("finalizers"):
                causes += metadata.check_standard_finalizers(meta)
        return causes

    def has_generation(self, obj: Object) -> bool:
        return self.generation


class Revalidated(Builtin):
    """A kind that upstream checks as a whole after each change, its name included."""

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        return [*self.check_change(new, old), *self.check_metadata(new), *self.check(new)]

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        """What may not be changed."""
        return []


class AsNew(Builtin):
    """A kind that upstream checks, after each change, first as if it were new."""

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new), *self.check(new)]
        if self.repeats_metadata:
            causes += [*changed, *metadata.check_standard_finalizers(metadata.of(new))]
        return causes + self.check_change(new, old)

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return []


def same(new: object, old: object) -> bool:
    """Equal, where an empty list is as good as none. Empty maps that mean nothing are gone (`decoding`); the others say something."""
    return new == old or _pruned(new) == _pruned(old)


def _pruned(value: object) -> object:
    if isinstance(value, dict):
        kept = {key: _pruned(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one is not None and one != []}
    if isinstance(value, list):
        return [_pruned(one) for one in value]
    return value

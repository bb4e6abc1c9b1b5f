"""Namespaces and ServiceAccounts."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.builtin import Revalidated
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.rules import Steps
from argosy.kube.server.rules.wording import each, invalid

_NAME = "kubernetes.io/metadata.name"
_ENFORCE = "kubernetes.io/enforce-mountable-secrets"
_STANDARD = {"kubernetes", "orphan", "foregroundDeletion"}


class NamespaceRules(Revalidated):
    """Its finalizers are in the spec, and only the subresource `finalize` may change them."""

    def check_name(self, name: str, prefix: bool) -> Messages:
        return formats.label_name(name, prefix)

    def default(self, obj: Object) -> None:
        meta = obj.setdefault("metadata", {})
        if name := meta.get("name"):
            if meta.get("labels") is None:
                meta["labels"] = {}
            meta["labels"][_NAME] = name
        status = obj.get("status")
        if status is None:
            status = obj["status"] = {}
        if not status.get("phase"):
            status["phase"] = "Active"

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Active"}
        finalizers = obj.setdefault("spec", {}).get("finalizers") or []
        if "kubernetes" not in finalizers:
            obj["spec"]["finalizers"] = [*finalizers, "kubernetes"]
        if meta := obj.get("metadata"):
            meta.setdefault("labels", {})[_NAME] = meta.get("name", "")

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        if before.get("finalizers"):
            spec["finalizers"] = before["finalizers"]
        else:
            spec.pop("finalizers", None)
        new["spec"] = spec

    def steps(self, subresource: str) -> Steps:
        if subresource == "finalize":
            return Steps(self.prepare_finalize, self.validate_update)
        return super().steps(subresource)

    def prepare_finalize(self, new: Object, old: Object) -> None:
        """A write of the subresource `finalize`."""
        super().prepare_update(new, old)

    def holds(self, obj: Object) -> bool:
        return bool((obj.get("spec") or {}).get("finalizers"))

    def prepare_deletion(self, obj: Object) -> None:
        obj["metadata"].pop("deletionGracePeriodSeconds", None)
        obj["status"] = {**(obj.get("status") or {}), "phase": "Terminating"}

    def check(self, obj: Object) -> list[Cause]:
        return _check_finalizers(obj, indexed=False)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new), *self.check(new)]
        return [*causes, *changed, *metadata.check_standard_finalizers(metadata.of(new))]

    def validate_finalize(self, new: Object, old: Object) -> list[Cause]:
        return [*self.changed_metadata(new, old), *_check_finalizers(new, indexed=True)]

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        phase = (new.get("status") or {}).get("phase") or ""
        if metadata.of(new).get("deletionTimestamp"):
            told = "may only be 'Terminating' if `deletionTimestamp` is not empty"
            return [] if phase == "Terminating" else [invalid("status.Phase", phase, told)]
        told = "may only be 'Active' if `deletionTimestamp` is empty"
        return [] if phase == "Active" else [invalid("status.Phase", phase, told)]

    def fields(self, obj: Object) -> dict[str, str]:
        return {"status.phase": (obj.get("status") or {}).get("phase") or ""}


def _check_finalizers(obj: Object, *, indexed: bool) -> list[Cause]:
    causes: list[Cause] = []
    for index, one in enumerate((obj.get("spec") or {}).get("finalizers") or ()):
        path = f"spec.finalizers[{index}]" if indexed else "spec.finalizers"
        causes += each(path, one, formats.qualified_name(one))
        if "/" not in one and one not in _STANDARD:
            told = "name is neither a standard finalizer name nor is it fully qualified"
            causes.append(invalid(path, one, told))
    return causes


class ServiceAccountRules(Revalidated):
    """A name is all that it needs. Of its secrets only the names are kept."""

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        _clean(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        _clean(new)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        known = metadata.of(old or {}).get("annotations") or {}
        if _ENFORCE in known or _ENFORCE not in (metadata.of(obj).get("annotations") or {}):
            return []
        told = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
        return [f"metadata.annotations[{_ENFORCE}]: {told}"]


def _clean(account: Object) -> None:
    if secrets := account.get("secrets"):
        account["secrets"] = [{"name": one["name"]} if one.get("name") else {} for one in secrets]

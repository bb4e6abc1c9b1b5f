"""What holds for the metadata of every object, built in or custom.

`check` is what a new object must be, `check_update` what a changed one must keep. The rules of a kind call them with the form
that its names have; custom resources' rules do the same.
"""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.formats import NameCheck
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    ENOUGH,
    NEGATIVE,
    Printed,
    each,
    forbidden,
    immutable,
    invalid,
    quoted,
    required,
    too_long,
)

ANNOTATIONS_LIMIT: Final = 256 * 1024
_IMMUTABLE: Final = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
_STANDARD_FINALIZERS: Final = {"kubernetes", "orphan", "foregroundDeletion"}
_EMPTY: Final[Object] = {}


def check(
    meta: Object, *, namespaced: bool, names: NameCheck = formats.segment_name, path: str = "metadata"
) -> list[Cause]:
    """The name must have been generated already."""
    causes: list[Cause] = []
    if prefix := meta.get("generateName"):
        causes += each(f"{path}.generateName", prefix, names(prefix, True))
    if name := meta.get("name"):
        if told := names(name, False):
            causes += each(f"{path}.name", name, told)
    else:
        causes.append(required(f"{path}.name", "name or generateName is required"))
    return causes + _check_rest(meta, namespaced, path)


def _check_rest(meta: Object, namespaced: bool, path: str) -> list[Cause]:
    causes: list[Cause] = []
    namespace = meta.get("namespace")
    if namespaced and not namespace:
        causes.append(required(f"{path}.namespace"))
    elif namespaced and namespace:
        causes += each(f"{path}.namespace", namespace, formats.dns_label(namespace))
    elif namespace:
        causes.append(forbidden(f"{path}.namespace", "not allowed on this type"))
    if (generation := meta.get("generation") or 0) < 0:
        causes.append(invalid(f"{path}.generation", generation, NEGATIVE))
    _check_kept(causes, meta, path, finalizers=True)
    return causes


def check_update(new: Object, old: Object, path: str = "metadata") -> list[Cause]:
    """`new` has its resourceVersion, taken from `old` if the client gave none and may leave it out."""
    causes: list[Cause] = []
    if old.get("deletionTimestamp"):
        causes += _check_no_new_finalizers(new, old, path)
    if not new.get("resourceVersion"):
        causes.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    generation = new.get("generation") or 0
    if generation < (old.get("generation") or 0):
        causes.append(invalid(f"{path}.generation", generation, "must not be decremented"))
    for field in _IMMUTABLE:
        if (new.get(field) or None) != (old.get(field) or None):
            absent = "" if field in {"name", "namespace", "uid"} else None
            causes += immutable(f"{path}.{field}", new.get(field, absent), old.get(field, absent))
    _check_kept(causes, new, path, finalizers=False)
    return causes


def _check_kept(causes: list[Cause], meta: Object, path: str, *, finalizers: bool) -> None:
    if labels := meta.get("labels"):
        causes += check_labels(labels, f"{path}.labels")
    if annotations := meta.get("annotations"):
        causes += check_annotations(annotations, f"{path}.annotations")
    if owners := meta.get("ownerReferences"):
        causes += check_owners(owners, f"{path}.ownerReferences")
    if finalizers and (listed := meta.get("finalizers")):
        causes += check_finalizers(listed, f"{path}.finalizers")
    if managed := meta.get("managedFields"):
        causes += check_managed_fields(managed, f"{path}.managedFields")


def check_labels(labels: dict[str, str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for key, value in labels.items():
        if told := formats.qualified_name(key):
            causes += each(path, key, told)
        if told := formats.label_value(value):
            causes += each(path, value, told)
    return causes


def check_annotations(annotations: dict[str, str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    total = 0
    for key, value in annotations.items():
        if told := formats.qualified_name(key.lower()):
            causes += each(path, key, told)
        total += formats.size(key) + formats.size(value)
    if total > ANNOTATIONS_LIMIT:
        causes.append(too_long(path, ANNOTATIONS_LIMIT))
    return causes


def check_owners(owners: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    controller, controllers, shown = "", 0, Printed("")
    for owner in owners:
        causes += _check_owner(owner, path)
        controllers += bool(owner.get("controller"))
        if not owner.get("controller") or controllers > ENOUGH:
            continue
        told = f"{owner.get('kind', '')}/{owner.get('name', '')}"
        if controller:
            shown = shown or printed("[meta.OwnerReference", owners)
            causes.append(
                invalid(
                    path,
                    shown,
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {controller} and {told}',
                )
            )
        controller = controller or told
    return causes


def _check_owner(owner: Object, path: str) -> list[Cause]:
    version = str(owner.get("apiVersion") or "")
    causes: list[Cause] = []
    if not version.rpartition("/")[2]:
        causes.append(invalid(f"{path}.apiVersion", version, "version must not be empty"))
    for field in ("kind", "name", "uid"):
        if not owner.get(field):
            causes.append(invalid(f"{path}.{field}", "", "must not be empty"))
    if version == "v1" and owner.get("kind") == "Event":
        causes.append(
            invalid(
                path,
                printed("meta.OwnerReference", owner),
                "/v1, Kind=Event is disallowed from being an owner",
            )
        )
    return causes


def check_finalizers(finalizers: list[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for one in finalizers:
        causes += each(path, one, formats.qualified_name(one))
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        causes.append(invalid(path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"))
    return causes


def check_standard_finalizers(meta: Object, path: str = "metadata") -> list[Cause]:
    """Of built-in kinds: a name without a domain must be one of Kubernetes' own."""
    return [
        invalid(
            f"{path}.finalizers[{index}]",
            one,
            "name is neither a standard finalizer name nor is it fully qualified",
        )
        for index, one in enumerate(meta.get("finalizers") or ())
        if "/" not in one and one not in _STANDARD_FINALIZERS
    ]


def check_managed_fields(entries: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, entry in enumerate(entries):
        here = f"{path}[{index}]"
        operation, form = entry.get("operation") or "", entry.get("fieldsType") or ""
        if operation not in {"Apply", "Update"}:
            causes.append(invalid(f"{here}.operation", operation, "must be `Apply` or `Update`"))
        if form and form != "FieldsV1":
            causes.append(invalid(f"{here}.fieldsType", form, "must be `FieldsV1`"))
        causes += check_field_manager(entry.get("manager") or "", f"{here}.manager")
        if formats.size(entry.get("subresource") or "") > 256:
            causes.append(too_long(f"{here}.subresource", 256))
    return causes


def check_field_manager(manager: str, path: str = "fieldManager") -> list[Cause]:
    causes = [too_long(path, 128)] if formats.size(manager) > 128 else []
    if not manager.isprintable():
        position = 0
        for one in manager:
            if not one.isprintable():
                told = f"invalid character U+{ord(one):04X} (at position {position})"
                causes.append(invalid(path, manager, told))
            position += formats.size(one)
    return causes


def _check_no_new_finalizers(new: Object, old: Object, path: str) -> list[Cause]:
    extra = sorted(set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()))
    if not extra:
        return []
    listed = ", ".join(quoted(one) for one in extra)
    told = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{listed}}}"
    return [forbidden(f"{path}.finalizers", told)]


def of(obj: Object) -> Object:
    return obj.get("metadata") or _EMPTY

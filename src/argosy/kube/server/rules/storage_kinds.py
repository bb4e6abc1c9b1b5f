"""Classes of storage, and attachments of volumes. What drivers publish is `csi`."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.builtin import AsNew, Revalidated, same
from argosy.kube.server.rules.node_labels import DEPRECATED
from argosy.kube.server.rules.pods.volume_defaults import default_source
from argosy.kube.server.rules.pods.volume_sources import check_driver_name
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.volumes import check_volume_spec
from argosy.kube.server.rules.wording import (
    ENOUGH,
    IMMUTABLE,
    duplicate,
    each,
    forbidden,
    immutable,
    invalid,
    not_supported,
    repeats,
    required,
    too_long,
)

_SIZE: Final = 256 * 1024
_BINDING: Final = ("Immediate", "WaitForFirstConsumer")


def _check_provisioner(name: str, path: str) -> list[Cause]:
    return each(path, name.lower(), formats.qualified_name(name.lower())) if name else [required(path)]


def _check_parameters(parameters: Object, path: str, *, needed: bool) -> list[Cause]:
    if len(parameters) > 512:
        return [too_long(path, 512)]
    causes = [invalid(path, key, "field can not be empty.") for key in parameters if not key]
    if sum(formats.size(key) + formats.size(value) for key, value in parameters.items()) > _SIZE:
        causes.append(too_long(path, _SIZE))
    if needed and not parameters:
        causes.append(required(path, "must contain at least one key/value pair"))
    return causes


class StorageClassRules(AsNew):
    def default(self, obj: Object) -> None:
        if obj.get("reclaimPolicy") is None:
            obj["reclaimPolicy"] = "Delete"
        if obj.get("volumeBindingMode") is None:
            obj["volumeBindingMode"] = "Immediate"

    def check(self, obj: Object) -> list[Cause]:
        causes = _check_provisioner(obj.get("provisioner") or "", "provisioner")
        causes += _check_parameters(obj.get("parameters") or {}, "parameters", needed=False)
        policy, mode = obj.get("reclaimPolicy"), obj.get("volumeBindingMode")
        if policy and policy not in {"Delete", "Retain"}:
            causes.append(not_supported("reclaimPolicy", policy, ("Delete", "Retain")))
        if mode is None:
            causes.append(required("volumeBindingMode"))
        elif mode not in _BINDING:
            causes.append(not_supported("volumeBindingMode", mode, _BINDING))
        return causes + _check_topologies(obj.get("allowedTopologies") or [])

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        if not same(new.get("parameters"), old.get("parameters")):
            causes.append(invalid("parameters", new.get("parameters"), IMMUTABLE))
        causes += immutable("provisioner", new.get("provisioner") or "", old.get("provisioner") or "")
        for field in ("reclaimPolicy", "volumeBindingMode"):
            causes += immutable(field, new.get(field), old.get(field))
        return causes

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        return [
            f"allowedTopologies[{index}].matchLabelExpressions[{number}].key: {DEPRECATED[one['key']]}"
            for index, term in enumerate(obj.get("allowedTopologies") or ())
            for number, one in enumerate(term.get("matchLabelExpressions") or ())
            if one.get("key") in DEPRECATED
        ]


def _check_topologies(terms: list[Object]) -> list[Cause]:
    causes: list[Cause] = []
    known = Counter({frozenset[tuple[str, frozenset[str]]](): len(terms)})
    for index, term in enumerate(terms):
        path, own = f"allowedTopologies[{index}].matchLabelExpressions", dict[str, frozenset[str]]()
        for number, one in enumerate(term.get("matchLabelExpressions") or ()):
            here, key, values = f"{path}[{number}]", one.get("key") or "", one.get("values") or []
            if not values:
                causes.append(required(f"{here}.values"))
            causes += [duplicate(f"{here}.values[{place}]", value) for place, value in repeats(values)]
            causes += each(f"{here}.key", key, formats.qualified_name(key))
            if key in own:
                causes.append(duplicate(f"{here}.key", key))
            own[key] = frozenset(values)
        said = frozenset(own.items())
        causes += [duplicate(path, "")] * min(known[said], ENOUGH)
        known[said] += 1
    return causes


class VolumeAttachmentRules(AsNew):
    new_status: ClassVar[Object] = {"attached": False}
    unconditional_update = False
    repeats_metadata = False

    def default(self, obj: Object) -> None:
        inline = ((obj.get("spec") or {}).get("source") or {}).get("inlineVolumeSpec")
        if inline is not None:
            default_source(inline)
            capacity = inline.get("capacity") or {}
            for name, written in capacity.items():
                capacity[name] = quantities.canonical(written)

    def check(self, obj: Object) -> list[Cause]:
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        causes = check_driver_name(spec.get("attacher") or "", "spec.attacher")
        source = spec.get("source") or {}
        causes += _check_source(source)
        node = spec.get("nodeName") or ""
        causes += each("spec.nodeName", node, formats.subdomain(node))
        attached = status.get("attachmentMetadata") or {}
        if sum(formats.size(key) + formats.size(value) for key, value in attached.items()) > _SIZE:
            causes.append(too_long("status.attachmentMetadata", _SIZE))
        for part in ("attachError", "detachError"):
            causes += _check_error(status.get(part) or {}, f"status.{part}")
        if (name := source.get("persistentVolumeName")) is not None:
            causes += each("spec.source.persistentVolumeName", name, formats.subdomain(name))
        return causes

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        spec = new.get("spec")
        if same(spec, old.get("spec")):
            return []
        return [invalid("spec", printed("storage.VolumeAttachmentSpec", spec), IMMUTABLE)]

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return [*self.check_metadata(new), *self.check(new), *self.check_change(new, old)]


def _check_source(source: Object) -> list[Cause]:
    inline, name, path = source.get("inlineVolumeSpec"), source.get("persistentVolumeName"), "spec.source"
    told = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
    if inline is None and name is None:
        return [required(path, told)]
    if inline is not None and name is not None:
        return [forbidden(path, told)]
    if inline is not None:
        return check_volume_spec(inline, f"{path}.inlineVolumeSpec", inline=True)
    return (
        []
        if name
        else [required(f"{path}.persistentVolumeName", "must specify non empty persistentVolumeName")]
    )


def _check_error(error: Object, path: str) -> list[Cause]:
    causes = [too_long(f"{path}.message", _SIZE)] if formats.size(error.get("message") or "") > 1024 else []
    code = error.get("errorCode")
    if code is not None and code < 0:
        causes.append(invalid(f"{path}.errorCode", code, formats.between(0, 2147483647)))
    return causes


class VolumeAttributesClassRules(Revalidated):
    def check(self, obj: Object) -> list[Cause]:
        causes = _check_provisioner(obj.get("driverName") or "", "driverName")
        return causes + _check_parameters(obj.get("parameters") or {}, "parameters", needed=True)

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return [
            forbidden(field, f"updates to {field} are forbidden.")
            for field in ("driverName", "parameters")
            if not same(new.get(field), old.get(field))
        ]

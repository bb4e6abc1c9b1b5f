"""Nodes."""

from __future__ import annotations

import json
import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, metadata, resources
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.pods.defaults import round_quantities
from argosy.kube.server.rules.pods.scheduling import check_effect
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import NOT_POSITIVE, duplicate, each, forbidden, invalid, quoted

_is_feature = re.compile(r"[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*").fullmatch
_TAINTS: Final = "scheduler.alpha.kubernetes.io/taints"
_BAD_FEATURE: Final = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes"
)


class NodeRules(Builtin):
    def default(self, obj: Object) -> None:
        _default_networks(obj.get("spec") or {})
        status = obj.get("status") or {}
        for part in ("capacity", "allocatable"):
            round_quantities(status.get(part) or {})
        if status.get("allocatable") is None and status.get("capacity") is not None:
            status["allocatable"] = dict(status["capacity"])

    def prepare_create(self, obj: Object) -> None:
        """Its status is the kubelet's from the start, so it stays."""
        (obj.get("spec") or {}).pop("configSource", None)
        (obj.get("status") or {}).pop("config", None)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        if not (old.get("spec") or {}).get("configSource"):
            (new.get("spec") or {}).pop("configSource", None)

    def prepare_status(self, new: Object, old: Object) -> None:
        super().prepare_status(new, old)
        if not (old.get("status") or {}).get("config"):
            (new.get("status") or {}).pop("config", None)

    def check(self, obj: Object) -> list[Cause]:
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        causes = _check_annotations(obj)
        causes += _check_taints(spec.get("taints") or [], "metadata.taints")
        causes += _check_resources(status)
        capacity = ((status.get("nodeInfo") or {}).get("swap") or {}).get("capacity")
        if capacity is not None and capacity <= 0:
            causes.append(invalid("metadata.nodeSwapStatus.capacity", capacity, NOT_POSITIVE))
        causes += _check_features(status.get("declaredFeatures") or [])
        networks = spec.get("podCIDRs") or []
        for index, one in enumerate(networks):
            causes += addresses.check_network(one, f"spec.podCIDRs[{index}]")
        if len(networks) > 1 and (len(networks) > 2 or len({":" in one for one in networks}) != 2):
            told = "may specify no more than one CIDR for each IP family"
            causes.append(invalid("spec.podCIDRs", networks, told))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [
            *self.check_plain_metadata(new),
            *changed,
            *self.check_metadata(new),
            *self.check(new),
            *changed,
        ]
        causes += metadata.check_standard_finalizers(metadata.of(new))
        return causes + self.check_status(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        """What a change of a node may not do, of its spec or of its status."""
        spec, before, status = new.get("spec") or {}, old.get("spec") or {}, new.get("status") or {}
        causes = [*_check_annotations(new), *_check_resources(status)]
        causes += _check_features(status.get("declaredFeatures") or [])
        seen: set[tuple[str, str]] = set()
        for index, one in enumerate(status.get("addresses") or ()):
            key = (one.get("type") or "", one.get("address") or "")
            if key in seen:
                causes.append(duplicate(f"status.addresses[{index}]", printed("core.NodeAddress", one)))
            seen.add(key)
        networks, were = spec.get("podCIDRs") or [], before.get("podCIDRs") or []
        told = 'node updates may not change podCIDR except from "" to valid'
        if were and len(were) != len(networks):
            causes.append(forbidden("spec.podCIDRs", told))
        elif were:
            different = [one for one, was in zip(networks, were, strict=True) if one != was]
            causes += [forbidden("spec.podCIDRs", told) for _ in different]
        provider, was = spec.get("providerID") or "", before.get("providerID") or ""
        if was and provider != was:
            told = 'node updates may not change providerID except from "" to valid'
            causes.append(forbidden("spec.providerID", told))
        causes += _check_taints(spec.get("taints") or [], "metadata.taints")
        if (spec.get("externalID") or "") != (before.get("externalID") or ""):
            causes.append(forbidden("spec.externalID", "may not be updated"))
        return causes

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        spec, told = obj.get("spec") or {}, []
        if spec.get("configSource") is not None:
            told.append("spec.configSource: the feature is removed")
        if spec.get("externalID"):
            told.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
        for index, one in enumerate(spec.get("podCIDRs") or ()):
            told += addresses.network_warnings(one, f"spec.podCIDRs[{index}]")
        return told

    def fields(self, obj: Object) -> dict[str, str]:
        return {"spec.unschedulable": "true" if (obj.get("spec") or {}).get("unschedulable") else "false"}


def _default_networks(spec: Object) -> None:
    """`podCIDR` is the first of `podCIDRs`; where they differ, the older field counts."""
    first, networks = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not networks or networks[0] != first):
        spec["podCIDRs"] = [first]
    elif networks and not first:
        spec["podCIDR"] = networks[0]


def _check_annotations(obj: Object) -> list[Cause]:
    text = (metadata.of(obj).get("annotations") or {}).get(_TAINTS)
    if not text:
        return []
    path = "metadata.annotations"
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return [invalid(path, _TAINTS, str(error))]
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        return [invalid(path, _TAINTS, "json: cannot unmarshal into Go value of type []core.Taint")]
    plain = [{key: value for key, value in one.items() if isinstance(value, str)} for one in found]
    return _check_taints(plain, f"{path}.{_TAINTS}")


def _check_taints(taints: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        here, key, effect = f"{path}[{index}]", taint.get("key") or "", taint.get("effect") or ""
        causes += each(f"{here}.key", key, formats.qualified_name(key))
        value = taint.get("value") or ""
        if told := formats.label_value(value):
            causes.append(invalid(f"{here}.value", value, ";".join(told)))
        causes += check_effect(effect, f"{here}.effect")
        if (key, effect) in seen:
            unique = "taints must be unique by key and effect pair"
            causes.append(duplicate(here, printed("core.Taint", taint), unique))
        seen.add((key, effect))
    return causes


def _check_resources(status: Object) -> list[Cause]:
    causes: list[Cause] = []
    for part in ("capacity", "allocatable"):
        for name, written in (status.get(part) or {}).items():
            causes += resources.check_amount(name, written, f"status.{part}.{name}")
    return causes


def _check_features(features: list[str]) -> list[Cause]:
    causes: list[Cause] = []
    path = "status.declaredFeatures"
    for index, feature in enumerate(features):
        if len(feature) > 253:
            told = f"invalid feature name {quoted(feature)}: must be no more than 253 characters"
            causes.append(invalid(f"{path}[{index}]", feature, told))
        elif not _is_feature(feature):
            told = f"invalid feature name {quoted(feature)}: {_BAD_FEATURE}"
            causes.append(invalid(f"{path}[{index}]", feature, told))
        following = features[index + 1 : index + 2]
        if following and following[0] == feature:
            causes.append(duplicate(f"{path}[{index + 1}]", feature))
        elif following and feature > following[0]:
            causes.append(invalid(f"{path}[{index + 1}]", following[0], "list must be sorted alphabetically"))
    return causes

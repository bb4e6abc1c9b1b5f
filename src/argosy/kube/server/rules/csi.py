"""What storage drivers publish: themselves, what they are on each node, how much room they have."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import AsNew, Builtin, same
from argosy.kube.server.rules.node_labels import selector_warnings
from argosy.kube.server.rules.pods.volume_sources import check_driver_name
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    IMMUTABLE,
    NEGATIVE,
    duplicate,
    each,
    immutable,
    invalid,
    nonnegative,
    not_supported,
    required,
)

_GROUPS: Final = ("File", "None", "ReadWriteOnceWithFSType")
_TOKENS: Final = (
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible "
    "logging of tokens in volume attributes"
)


class CsiDriverRules(Builtin):
    unconditional_update = False

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        for field, value in (
            ("attachRequired", True),
            ("podInfoOnMount", False),
            ("storageCapacity", False),
            ("fsGroupPolicy", "ReadWriteOnceWithFSType"),
            ("requiresRepublish", False),
            ("seLinuxMount", False),
        ):
            if spec.get(field) is None:
                spec[field] = value
        if not spec.get("volumeLifecycleModes"):
            spec["volumeLifecycleModes"] = ["Persistent"]

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        (obj.get("spec") or {}).pop("preventPodSchedulingIfMissing", None)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        (new.get("spec") or {}).pop("preventPodSchedulingIfMissing", None)
        if not same(new.get("spec"), old.get("spec")):
            new["metadata"]["generation"] = int(old["metadata"].get("generation") or 0) + 1

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        needed = (("attachRequired", "attachedRequired"), ("podInfoOnMount",) * 2, ("storageCapacity",) * 2)
        causes = [required(f"spec.{told}") for field, told in needed if spec.get(field) is None]
        policy = spec.get("fsGroupPolicy")
        if policy is not None and policy not in _GROUPS:
            causes.append(not_supported("spec.fsGroupPolicy", policy, _GROUPS))
        tokens = spec.get("tokenRequests") or []
        causes += _check_tokens(tokens)
        modes = ("Persistent", "Ephemeral")
        causes += [
            not_supported("spec.volumeLifecycleModes", mode, modes)
            for mode in spec.get("volumeLifecycleModes") or ()
            if mode not in modes
        ]
        period = spec.get("nodeAllocatableUpdatePeriodSeconds")
        if period is not None and period < 10:
            told = "must be greater than or equal to 10 seconds"
            causes.append(invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, told))
        secret = spec.get("serviceAccountTokenInSecrets")
        if secret is not None and not tokens:
            told = "serviceAccountTokenInSecrets is set but no tokenRequests are specified"
            causes.append(invalid("spec.serviceAccountTokenInSecrets", secret, told))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        causes = self.check(new)
        causes += immutable("spec.attachedRequired", spec.get("attachRequired"), before.get("attachRequired"))
        modes = "volumeLifecycleModes"
        return causes + immutable(f"spec.{modes}", spec.get(modes), before.get(modes))

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        spec = obj.get("spec") or {}
        tokens = spec.get("tokenRequests")
        if not tokens or spec.get("serviceAccountTokenInSecrets") is not None:
            return []
        if old is not None and same(tokens, (old.get("spec") or {}).get("tokenRequests")):
            return []
        return [_TOKENS]


def _check_tokens(tokens: list[Object]) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, one in enumerate(tokens):
        path, audience, seconds = (
            f"spec.tokenRequests[{index}]",
            one.get("audience") or "",
            one.get("expirationSeconds"),
        )
        if audience in seen:
            causes.append(duplicate(f"{path}.audience", audience))
            continue
        seen.add(audience)
        here = f"{path}.expirationSeconds"
        if seconds is not None and seconds < 600:
            causes.append(invalid(here, seconds, "may not specify a duration less than 10 minutes"))
        if seconds is not None and seconds > 1 << 32:
            causes.append(invalid(here, seconds, "may not specify a duration larger than 2^32 seconds"))
    return causes


class CsiNodeRules(AsNew):
    unconditional_update = False
    repeats_metadata = False

    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        names: set[str] = set()
        for index, driver in enumerate((obj.get("spec") or {}).get("drivers") or ()):
            causes += _check_driver(driver, names, f"spec.drivers[{index}]")
        return causes

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        drivers, before = ((obj.get("spec") or {}).get("drivers") or () for obj in (new, old))
        for was in before:
            for driver in drivers:
                if driver.get("name") == was.get("name"):
                    own, older = ({**one, "allocatable": None} for one in (driver, was))
                    if not same(own, older):
                        shown = printed("storage.CSINodeDriver", own)
                        causes.append(invalid("spec.drivers", shown, IMMUTABLE))
        return causes


def _check_driver(driver: Object, names: set[str], path: str) -> list[Cause]:
    name, node = driver.get("name") or "", driver.get("nodeID") or ""
    causes = check_driver_name(name, f"{path}.name")
    if not node:
        causes.append(required(f"{path}.nodeID"))
    if len(node) > 256:
        causes.append(invalid(f"{path}.nodeID", node, "must be 256 characters or less"))
    causes += nonnegative(f"{path}.allocatable.count", (driver.get("allocatable") or {}).get("count"))
    if name in names:
        causes.append(duplicate(f"{path}.name", name))
    names.add(name)
    keys: set[str] = set()
    for key in driver.get("topologyKeys") or ():
        if not key:
            causes.append(required(path))
        if key in keys:
            causes.append(duplicate(path, key))
        keys.add(key)
        causes += each(path, key, formats.qualified_name(key))
    return causes


class CsiStorageCapacityRules(Builtin):
    unconditional_update = False

    def default(self, obj: Object) -> None:
        for field in ("capacity", "maximumVolumeSize"):
            if obj.get(field) is not None:
                obj[field] = quantities.canonical(obj[field])

    def check(self, obj: Object) -> list[Cause]:
        return self._check(obj, any_value=False)

    def _check(self, obj: Object, *, any_value: bool) -> list[Cause]:
        causes = label_selectors.check(obj.get("nodeTopology"), "nodeTopology", any_value=any_value)
        name = obj.get("storageClassName") or ""
        causes += each("storageClassName", name, formats.subdomain(name))
        if quantities.amount(obj.get("capacity")) < 0:
            causes.append(invalid("capacity", quantities.canonical(obj["capacity"]), NEGATIVE))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        loose = bool(label_selectors.check(old.get("nodeTopology"), ""))
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new)]
        causes += [*self._check(new, any_value=loose), *changed]
        causes += metadata.check_standard_finalizers(metadata.of(new))
        topology, name = new.get("nodeTopology"), new.get("storageClassName") or ""
        if not same(topology, old.get("nodeTopology")):
            causes.append(invalid("nodeTopology", label_selectors.printed(topology), IMMUTABLE))
        return causes + immutable("storageClassName", name, old.get("storageClassName") or "")

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        return selector_warnings(obj.get("nodeTopology"), "nodeTopology")

"""StatefulSets."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.claims import check_claim_spec
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.annotations import check_annotations
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.template import check_template, spec_of
from argosy.kube.server.rules.pods.volume_defaults import default_claim_spec
from argosy.kube.server.rules.pods.warnings import claim_warnings
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    each,
    forbidden,
    invalid,
    nonnegative,
    not_supported,
    required,
)
from argosy.kube.server.rules.workloads.replicated import (
    Workload,
    check_collisions,
    check_counts,
    check_matching,
    check_not_above,
    check_restarting,
)

_CHANGEABLE: Final = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_FORBIDDEN: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_COUNTS: Final = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
_KEEPS_ALL: Final = "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"


class StatefulSetRules(Workload):
    new_status: ClassVar[Object] = {"replicas": 0, "availableReplicas": 0}
    warns_of_name = False

    def check_name(self, name: str, prefix: bool) -> Messages:
        return formats.label_name(name, prefix)

    def default_spec(self, spec: Object) -> None:
        if not spec.get("podManagementPolicy"):
            spec["podManagementPolicy"] = "OrderedReady"
        strategy = spec.get("updateStrategy")
        if strategy is None:
            strategy = spec["updateStrategy"] = {}
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
            if strategy.get("rollingUpdate") is None:
                strategy["rollingUpdate"] = {}
        rolling = strategy.get("rollingUpdate")
        if strategy["type"] == "RollingUpdate" and rolling is not None and rolling.get("partition") is None:
            rolling["partition"] = 0
        policy = spec.get("persistentVolumeClaimRetentionPolicy")
        if policy is None:
            policy = spec["persistentVolumeClaimRetentionPolicy"] = {}
        for field in ("whenDeleted", "whenScaled"):
            if not policy.get(field):
                policy[field] = "Retain"
        if spec.get("replicas") is None:
            spec["replicas"] = 1
        if spec.get("revisionHistoryLimit") is None:
            spec["revisionHistoryLimit"] = 10
        for claim in spec.get("volumeClaimTemplates") or ():
            claim["kind"], claim["apiVersion"] = "PersistentVolumeClaim", "v1"
            default_claim_spec(claim.setdefault("spec", {}))
            claim.setdefault("status", {}).setdefault("phase", "Pending")

    def prepare_create(self, obj: Object) -> None:
        _drop_disabled(obj)
        super().prepare_create(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        rolling = ((old.get("spec") or {}).get("updateStrategy") or {}).get("rollingUpdate") or {}
        if rolling.get("maxUnavailable") is None:
            _drop_disabled(new)
        super().prepare_update(new, old)

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        return _check_spec(spec, how, created=True)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        how = options.after(spec_of(self.template(old)))
        was_valid = not _check_spec(before, how, created=False)
        causes = _check_spec(spec, how, created=False, template=was_valid)
        kept = {key: value for key, value in spec.items() if key not in _CHANGEABLE}
        if not same(kept, {key: value for key, value in before.items() if key not in _CHANGEABLE}):
            causes.append(forbidden("spec", _FORBIDDEN))
        return causes

    def validate_status(self, new: Object, old: Object) -> list[Cause]:
        """Upstream looks at the status before it looks at the metadata again."""
        generic = metadata.check(metadata.of(new), namespaced=True)
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*generic, *changed, *_check_status(new.get("status") or {}), *changed]
        return causes + metadata.check_standard_finalizers(metadata.of(new)) + check_collisions(new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        told = super().warnings(obj, old)
        spec = obj.get("spec") or {}
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            path = f"spec.volumeClaimTemplates[{index}]"
            told += claim_warnings(claim.get("spec") or {}, path if old is None else f"{path}.Spec")
        if (spec.get("revisionHistoryLimit") or 0) < 0:
            told.append(_KEEPS_ALL)
        return told


def _drop_disabled(obj: Object) -> None:
    rolling = ((obj.get("spec") or {}).get("updateStrategy") or {}).get("rollingUpdate")
    if rolling is not None:
        rolling.pop("maxUnavailable", None)


def _check_spec(spec: Object, how: Options, *, created: bool, template: bool = True) -> list[Cause]:
    """`created`: what can no longer be changed later is only looked at then."""
    causes: list[Cause] = []
    policy = spec.get("podManagementPolicy") or ""
    if not policy:
        causes.append(required("spec.podManagementPolicy"))
    elif policy not in {"OrderedReady", "Parallel"}:
        told = "must be 'OrderedReady' or 'Parallel'"
        causes.append(invalid("spec.podManagementPolicy", policy, told))
    causes += _check_strategy(spec.get("updateStrategy") or {})
    for field, value in (spec.get("persistentVolumeClaimRetentionPolicy") or {}).items():
        if value not in {"Retain", "Delete"}:
            path = f"spec.persistentVolumeClaimRetentionPolicy.{field}"
            causes.append(not_supported(path, value, ("Retain", "Delete")))
    if created:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            causes += check_claim_spec(claim.get("spec") or {}, f"spec.volumeClaimTemplates[{index}].spec")
    causes += nonnegative("spec.replicas", spec.get("replicas"))
    causes += nonnegative("spec.minReadySeconds", spec.get("minReadySeconds"))
    causes += nonnegative("spec.ordinals.start", (spec.get("ordinals") or {}).get("start"))
    if created and (service := spec.get("serviceName")):
        causes += each("spec.serviceName", service, formats.dns_label(service))
    return causes + _check_template(spec, how, template)


def _check_template(spec: Object, how: Options, template: bool) -> list[Cause]:
    selector, own = spec.get("selector"), spec.get("template") or {}
    causes: list[Cause] = []
    if selector is None:
        causes.append(required("spec.selector"))
    else:
        causes += label_selectors.check(selector, "spec.selector")
        if label_selectors.is_empty(selector):
            told = "empty selector is invalid for statefulset"
            causes.append(invalid("spec.selector", label_selectors.printed(selector), told))
    if selector is not None and not label_selectors.usable(selector):
        causes.append(invalid("spec.selector", label_selectors.printed(selector), ""))
    else:
        if selector is None or not label_selectors.is_empty(selector):
            causes += check_matching(selector, own, "spec.template")
        causes += _check_pods(spec, own, how, template)
    return causes + check_restarting(own, "spec.template", "StatefulSet")


def _check_pods(spec: Object, own: Object, how: Options, whole: bool) -> list[Cause]:
    """The template as its pods will be: named by the set, with the claims' volumes."""
    pod = {key: value for key, value in spec_of(own).items() if key not in {"hostname", "subdomain"}}
    if claims := spec.get("volumeClaimTemplates"):
        made = {
            (metadata.of(claim).get("name") or ""): {
                "name": metadata.of(claim).get("name") or "",
                "persistentVolumeClaim": {"claimName": metadata.of(claim).get("name") or ""},
            }
            for claim in claims
        }
        others = [volume for volume in pod.get("volumes") or () if (volume.get("name") or "") not in made]
        pod["volumes"] = [*made.values(), *others]
    meta = metadata.of(own)
    causes = check_template({"metadata": meta, "spec": pod}, "spec.template", how) if whole else []
    causes += metadata.check_labels(meta.get("labels") or {}, "spec.template.labels")
    if annotations := meta.get("annotations"):
        causes += metadata.check_annotations(annotations, "spec.template.annotations")
        causes += check_annotations(annotations, pod, "spec.template.annotations")
    return causes


def _check_strategy(strategy: Object) -> list[Cause]:
    rolling, path = strategy.get("rollingUpdate"), "spec.updateStrategy.rollingUpdate"
    match strategy.get("type") or "":
        case "":
            return [required("spec.updateStrategy")]
        case "OnDelete":
            shown = printed("*apps.RollingUpdateStatefulSetStrategy", rolling)
            told = "only allowed for updateStrategy 'RollingUpdate'"
            return [] if rolling is None else [invalid(path, shown, told)]
        case "RollingUpdate":
            return nonnegative(f"{path}.partition", (rolling or {}).get("partition"))
    shown = printed("apps.StatefulSetUpdateStrategy", strategy)
    return [invalid("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'")]


def _check_status(status: Object) -> list[Cause]:
    causes = check_counts(status, _COUNTS)
    for name in ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"):
        causes += check_not_above(status, name, "replicas", "cannot be greater than status.replicas")
    told = "cannot be greater than status.readyReplicas"
    return causes + check_not_above(status, "availableReplicas", "readyReplicas", told)

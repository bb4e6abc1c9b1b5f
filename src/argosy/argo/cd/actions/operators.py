"""The actions on custom resources of others: suspend and resume, an annotation that asks their controller for something."""

from __future__ import annotations

from typing import Final

from argosy.argo.cd.actions.model import ActionError, Builtin, Call, Do
from argosy.argo.cd.actions.steps import (
    RESTARTED_AT,
    annotate,
    at,
    forget,
    is_annotated,
    is_not_annotated,
    is_not_set,
    is_set,
    put,
    unset,
    whole_number,
)
from argosy.domain.health.reading import part, text
from argosy.kube.objects import Object, name_of

_PAUSED, _PAUSED_REPLICAS = "autoscaling.keda.sh/paused", "autoscaling.keda.sh/paused-replicas"
_LOOP, _HIBERNATION = "cnpg.io/reconciliationLoop", "cnpg.io/hibernation"
_NEVER = frozenset({"0"} | {f"0{unit}" for unit in ("ns", "us", "µs", "ms", "s", "m", "h")})


def _at_flux(call: Call) -> str:
    return f"By Argo CD at: {call.stamp().removesuffix('Z')}"


_RECONCILE = Builtin(
    "reconcile", annotate("reconcile.fluxcd.io/requestedAt", _at_flux), disabled=is_set("spec", "suspend")
)
_SUSPEND = Builtin("suspend", put(True, "spec", "suspend"), disabled=is_set("spec", "suspend"))
_RESUME = Builtin("resume", unset("spec", "suspend"), disabled=is_not_set("spec", "suspend"))
_FLUX = (_RECONCILE, _SUSPEND, _RESUME)


def _pair(
    off: str, on: str, *path: str, icons: tuple[str, str], resume: Do | None = None
) -> tuple[Builtin, Builtin]:
    """Two actions that set a field and unset it, of which one is always disabled."""
    return (
        Builtin(off, put(True, *path), icons[0], disabled=is_set(*path)),
        Builtin(on, resume or unset(*path), icons[1], disabled=is_not_set(*path)),
    )


_CORDON = _pair("cordon", "uncordon", "spec", "cordoned", icons=("pause", "play"))
_CAPSULE = Builtin(
    "reconcile",
    annotate("reconcile.projectcapsule.dev/requestedAt"),
    "rotate-right",
    disabled=is_set("spec", "cordoned"),
)


def _is_never_refreshed(obj: Object) -> bool:
    return (
        str(part(obj, "spec").get("refreshInterval")) in _NEVER
        and part(obj, "spec").get("refreshPolicy") != "OnChange"
    )


def _is_paused(obj: Object) -> bool:
    annotations = part(obj, "metadata", "annotations")
    return annotations.get(_PAUSED) == "true" or _PAUSED_REPLICAS in annotations


def _paused_replicas(call: Call) -> None:
    if "replicas" not in call.params:
        raise ActionError("replicas parameter is required")
    try:
        wanted = whole_number(call.params["replicas"])
    except ActionError as error:
        raise ActionError(f"{error} (must be >= 0)") from error
    at(call.obj, "metadata", "annotations")[_PAUSED_REPLICAS] = str(wanted)


def _healthy(obj: Object) -> list[str]:
    names = part(obj, "status", "instancesStatus").get("healthy")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _promote(call: Call) -> None:
    wanted = call.params.get("instance", "any")
    chosen = _replica(call.obj, wanted)
    if chosen is None:
        raise ActionError(f"Could not find a healthy instance matching the criteria: {wanted}")
    at(call.obj, "status").update(
        {
            "targetPrimary": chosen,
            "targetPrimaryTimestamp": call.stamp(),
            "phase": "Switchover in progress",
            "phaseReason": f"Switching over to {chosen}",
        }
    )


def _replica(obj: Object, wanted: str) -> str | None:
    """By name, by number, or the one after the primary."""
    healthy, primary = _healthy(obj), text(part(obj, "status"), "currentPrimary")
    if wanted == "any":
        after = healthy.index(primary) + 1 if primary in healthy else 0
        return healthy[after % len(healthy)] if healthy else None
    name = f"{name_of(obj)}-{wanted}" if wanted.isdigit() else wanted
    return name if name in healthy else None


BUILTINS: Final[dict[str, tuple[Builtin, ...]]] = {
    **dict.fromkeys(
        (
            "helm.toolkit.fluxcd.io/HelmRelease", "image.toolkit.fluxcd.io/ImageRepository", "image.toolkit.fluxcd.io/ImageUpdateAutomation",
            "kustomize.toolkit.fluxcd.io/Kustomization", "notification.toolkit.fluxcd.io/Receiver", "source.toolkit.fluxcd.io/Bucket",
            "source.toolkit.fluxcd.io/GitRepository", "source.toolkit.fluxcd.io/HelmChart", "source.toolkit.fluxcd.io/HelmRepository",
            "source.toolkit.fluxcd.io/OCIRepository",
        ),
        _FLUX,
    ),
    "notification.toolkit.fluxcd.io/Alert": (_SUSPEND, _RESUME),
    "notification.toolkit.fluxcd.io/Provider": (_SUSPEND, _RESUME),
    "external-secrets.io/ExternalSecret": (Builtin("refresh", annotate("force-sync"), disabled=_is_never_refreshed),),
    "external-secrets.io/PushSecret": (Builtin("push", annotate("force-sync"), disabled=lambda obj: str(part(obj, "spec").get("refreshInterval")) in _NEVER),),
    "keda.sh/ScaledJob": (
        Builtin("pause", annotate(_PAUSED, "true"), "pause-circle", disabled=is_annotated(_PAUSED, "true")),
        Builtin("resume", forget(_PAUSED), "play-circle", disabled=is_not_annotated(_PAUSED, "true")),
    ),
    "keda.sh/ScaledObject": (
        Builtin("pause", annotate(_PAUSED, "true"), "pause-circle", disabled=_is_paused),
        Builtin("paused-replicas", _paused_replicas, "pause-circle", disabled=is_annotated(_PAUSED, "true"),
                params=lambda obj: (("replicas", text(part(obj, "metadata", "annotations"), _PAUSED_REPLICAS) or "0"),)),
        Builtin("resume", forget(_PAUSED, _PAUSED_REPLICAS), "play-circle", disabled=lambda obj: not _is_paused(obj)),
    ),
    "k8s.mariadb.com/MariaDB": (
        Builtin("suspend", put(True, "spec", "suspend"), "pause", "Suspend", shown=is_not_set("spec", "suspend")),
        Builtin("resume", unset("spec", "suspend"), "play", "Resume", shown=is_set("spec", "suspend")),
    ),
    "core.strimzi.io/StrimziPodSet": (
        Builtin("rolling-update", annotate("strimzi.io/manual-rolling-update", "true"), disabled=is_annotated("strimzi.io/manual-rolling-update", "true")),
    ),
    "postgresql.cnpg.io/Cluster": (
        Builtin("restart", annotate(RESTARTED_AT), "recycle", "Rollout restart Cluster"),
        Builtin("reload", annotate("cnpg.io/reloadedAt"), "rotate-right", "Reload all Configuration"),
        Builtin("promote", _promote, "angles-up", "Promote Replica to Primary", (("instance", "any"),), disabled=lambda obj: len(_healthy(obj)) < 2),
        Builtin("suspend", annotate(_LOOP, "disabled"), "pause", "Suspend Reconciliation", shown=is_not_annotated(_LOOP, "disabled")),
        Builtin("resume", forget(_LOOP), "play", "Resume Reconciliation", shown=is_annotated(_LOOP, "disabled")),
        Builtin("hibernate", annotate(_HIBERNATION, "on"), "pause", "Hibernate Cluster", shown=is_not_annotated(_HIBERNATION, "on")),
        Builtin("rehydrate", annotate(_HIBERNATION, "off"), "play", "Rehydrate Cluster", shown=is_annotated(_HIBERNATION, "on")),
    ),
    "psmdb.percona.com/PerconaServerMongoDB": _pair(
        "pause", "unpause", "spec", "pause", icons=("pause-circle", "play-circle"), resume=put(False, "spec", "pause")
    ),
    "capsule.clastix.io/Tenant": _CORDON,
    "capsule.clastix.io/TenantResource": (*_CORDON, _CAPSULE),
    "capsule.clastix.io/GlobalTenantResource": (*_CORDON, _CAPSULE),
    "promoter.argoproj.io/PullRequest": (
        Builtin("merge", put("merged", "spec", "state"), "code-merge", "Merge PR", disabled=lambda obj: part(obj, "spec").get("state") != "open"),
    ),
}  # fmt: skip

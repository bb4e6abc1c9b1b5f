"""The status of an application from what was compared: every object with its state and health, and the whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from argosy.argo.cd import marks
from argosy.argo.cd.applications.reading import APPLICATION, APPROVED
from argosy.argo.cd.compare.comparing import Verdict
from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.resources import Pair, ResourceKey, key_of
from argosy.argo.cd.sync.task import images
from argosy.contracts.argo.status import AppHealth, ResourceHealth, ResourceStatus, Summary
from argosy.domain.health import Health, Part, worst
from argosy.domain.health.hooks import is_health_ignored
from argosy.kube.objects import Object, group_version

HealthOf = Callable[[Object], Health | None]
Code = Literal["Synced", "OutOfSync"]
_LINK = "link.argocd.argoproj.io/"


@dataclass(frozen=True, slots=True)
class Report:
    resources: list[ResourceStatus]
    code: Code
    health: AppHealth
    summary: Summary


def report(
    pairs: Sequence[Pair],
    hooks: Sequence[Object],
    verdicts: Mapping[ResourceKey, Verdict],
    *,
    tracking: Tracking,
    health_of: HealthOf,
    permitted: Callable[[Object], bool],
    itself: ResourceKey,
    annotations: Mapping[str, str],
    approved_since: str,
) -> Report:
    """`itself`: an application that manages itself does not count in its own health. `approved_since`: deletions confirmed after this
    need no other confirmation."""
    waves = {key_of(hook): marks.wave(hook) for hook in hooks}
    approved = is_approved(annotations, approved_since)
    found: list[tuple[Pair, ResourceStatus]] = []
    code: Code = "Synced"
    for pair in pairs:
        status = _status(pair, tracking, waves, approved=approved)
        if _counts(pair, tracking):
            different = _is_different(pair, verdicts)
            status.status = "OutOfSync" if different else "Synced"
            if different and not _is_overlooked(pair):
                code = "OutOfSync"
        if not permitted(pair.object):
            status.status = "Unknown"
        found.append((pair, status))
    health = _health(found, health_of, itself)
    found.sort(key=lambda one: "/".join((one[1].group, one[1].kind, one[1].namespace, one[1].name)))
    return Report([one for _, one in found], code, health, _summary(pairs, annotations))


def is_approved(annotations: Mapping[str, str], since: str) -> bool:
    """Whether a person has confirmed deletions after that moment."""
    text = annotations.get(APPROVED)
    try:
        return bool(text) and datetime.fromisoformat(str(text)) >= datetime.fromisoformat(since)
    except (TypeError, ValueError):
        return False


def _status(
    pair: Pair, tracking: Tracking, waves: Mapping[ResourceKey, int], *, approved: bool
) -> ResourceStatus:
    obj = pair.live if pair.live is not None else pair.object
    group, version = group_version(obj)
    hook = marks.is_hook(obj)
    own = tracking.is_own(pair.live, pair.target)
    return ResourceStatus(
        group=group,
        version=version,
        kind=pair.key.kind,
        namespace=pair.key.namespace,
        name=pair.key.name,
        hook=hook,
        requires_pruning=pair.target is None and own,
        requires_deletion_confirmation=not approved
        and any(_confirms(one) for one in (pair.target, pair.live)),
        sync_wave=marks.wave(pair.target)
        if pair.target is not None
        else waves.get(pair.key, 0)
        if hook
        else 0,
    )


def _counts(pair: Pair, tracking: Tracking) -> bool:
    """Hooks, what is skipped, and what only carries a copied mark say nothing of the application's state."""
    if pair.target is not None and marks.is_skipped(pair.target):
        return False
    return not marks.is_hook(pair.object) and tracking.is_own(pair.live, pair.target)


def _is_different(pair: Pair, verdicts: Mapping[ResourceKey, Verdict]) -> bool:
    if pair.target is None or pair.live is None:
        return True
    verdict = verdicts.get(pair.key)
    return verdict is None or verdict.modified


def _is_overlooked(pair: Pair) -> bool:
    """Extra objects may ask not to be counted."""
    return pair.target is None and marks.has_option(pair.object, "IgnoreExtraneous", marks.COMPARE)


def _confirms(obj: Object | None) -> bool:
    return obj is not None and "confirm" in {marks.may_prune(obj), marks.may_delete(obj)}


def _health(
    found: Sequence[tuple[Pair, ResourceStatus]], health_of: HealthOf, itself: ResourceKey
) -> AppHealth:
    """Also writes each object's own into its status, for whoever has no tree to look it up."""
    parts: list[Part] = []
    for pair, status in found:
        health = health_of(pair.live) if pair.live is not None else None
        parts.append(Part(pair.target, pair.live, health, own=pair.key == itself))
        if marks.is_hook(pair.object):
            continue
        if pair.live is None:
            status.health = ResourceHealth(status="Missing")
        elif health is not None and pair.key != itself and not is_health_ignored(pair.live):
            status.health = ResourceHealth(status=health.status, message=health.message)
    health = worst(parts)
    return AppHealth(status=health.status, message=health.message)


def _is_child(pair: Pair) -> bool:
    return (pair.key.group, pair.key.kind) == (APPLICATION.group, APPLICATION.kind)


def _summary(pairs: Iterable[Pair], annotations: Mapping[str, str]) -> Summary:
    lives = [pair.live for pair in pairs if pair.live is not None]
    urls = {url for obj in lives for url in _urls(obj)}
    urls |= {value for name, value in annotations.items() if name.startswith(_LINK)}
    return Summary(
        images=sorted({image for obj in lives for image in images(obj)}),
        external_urls=sorted(urls),
        is_app_of_apps=any(_is_child(pair) for pair in pairs),
    )


def _urls(obj: Object) -> list[str]:
    """Of an Ingress; a rule without a host is at the address it was given."""
    group, _ = group_version(obj)
    if (group, obj.get("kind")) != ("networking.k8s.io", "Ingress"):
        return []
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    addresses = (status.get("loadBalancer") or {}).get("ingress") or ()
    address = next((one.get("hostname") or one.get("ip") for one in addresses), "")
    tls = spec.get("tls") or ()
    found: list[str] = []
    for rule in spec.get("rules") or ():
        if host := rule.get("host") or address:
            secure = any(one.get("secretName") or host in (one.get("hosts") or ()) for one in tls)
            for path in (rule.get("http") or {}).get("paths") or ():
                where = str(path.get("path") or "").removesuffix("*")
                found.append(f"{'https' if secure else 'http'}://{host}{where}")
    return found

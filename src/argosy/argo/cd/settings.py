"""The settings of the installation, as the ConfigMap `argocd-cm` has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from fnmatch import fnmatchcase

from argosy.argo.cd.applications.durations import seconds
from argosy.argo.cd.compare.rules import Rule
from argosy.argo.cd.compare.tracking import INSTANCE_LABEL, Method, Tracking
from argosy.domain.health import Scripts
from argosy.kit import yaml
from argosy.kit.errors import ArgosyError

_IGNORE = "resource.customizations.ignoreDifferences."
_METHODS: dict[str, Method] = {
    "annotation": "annotation",
    "label": "label",
    "annotation+label": "annotation+label",
}
_EXPIRES = 600.0
_NEVER = timedelta(days=36500)


@dataclass(frozen=True, slots=True)
class Filter:
    """Globs, one list beside the other; an empty list is about everything."""

    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()

    def matches(self, group: str, kind: str, server: str) -> bool:
        asked = ((self.groups, group), (self.kinds, kind), (self.clusters, server))
        return all(not globs or any(fnmatchcase(value, glob) for glob in globs) for globs, value in asked)


NOISY = (
    Filter(("", "discovery.k8s.io"), ("Endpoints", "EndpointSlice")),
    Filter(("coordination.k8s.io",), ("Lease",)),
    Filter(
        ("authentication.k8s.io", "authorization.k8s.io"),
        (
            "SelfSubjectReview",
            "TokenReview",
            "LocalSubjectAccessReview",
            "SelfSubjectAccessReview",
            "SelfSubjectRulesReview",
            "SubjectAccessReview",
        ),
    ),
    Filter(("certificates.k8s.io",), ("CertificateSigningRequest",)),
    Filter(("cert-manager.io",), ("CertificateRequest",)),
    Filter(("cilium.io",), ("CiliumIdentity", "CiliumEndpoint", "CiliumEndpointSlice")),
    Filter(
        ("kyverno.io", "reports.kyverno.io", "wgpolicyk8s.io"),
        (
            "PolicyReport",
            "ClusterPolicyReport",
            "EphemeralReport",
            "ClusterEphemeralReport",
            "AdmissionReport",
            "ClusterAdmissionReport",
            "BackgroundScanReport",
            "ClusterBackgroundScanReport",
            "UpdateRequest",
        ),
    ),
)
"""What changes all the time and is never anybody's wish: excluded unless the settings list something else."""


@dataclass(frozen=True, slots=True)
class Settings:
    tracking: Tracking = field(default_factory=Tracking)
    rules: tuple[Rule, ...] = ()
    excluded: tuple[Filter, ...] = NOISY
    included: tuple[Filter, ...] = ()
    expires: timedelta = timedelta(seconds=_EXPIRES)
    """How long a comparison is believed when nobody asks: changes are heard of, so this is only for what was missed."""
    problems: tuple[str, ...] = ()
    scripts: Scripts = field(default_factory=Scripts)
    """People's own rules of health, and actions."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The ConfigMap itself, for what others read out of it."""

    def is_excluded(self, group: str, kind: str, server: str) -> bool:
        if any(one.matches(group, kind, server) for one in self.excluded):
            return True
        return bool(self.included) and not any(one.matches(group, kind, server) for one in self.included)


def read(texts: Mapping[str, str]) -> Settings:
    """What cannot be read is a problem that names its key, and stays as it is by default."""
    problems: list[str] = []
    method = texts.get("application.resourceTrackingMethod") or "annotation"
    if method not in _METHODS:
        problems.append(
            f"application.resourceTrackingMethod: {method!r} is none of {', '.join(_METHODS)}; annotation is used"
        )
    scripts = Scripts.read(texts)
    problems += scripts.problems
    return Settings(
        scripts=scripts,
        tracking=Tracking(
            method=_METHODS.get(method, "annotation"),
            label=texts.get("application.instanceLabelKey") or INSTANCE_LABEL,
            installation=texts.get("installationID", ""),
        ),
        rules=tuple(_rules(texts, problems)),
        excluded=_filters(texts, "resource.exclusions", problems, NOISY),
        included=_filters(texts, "resource.inclusions", problems, ()),
        expires=_expires(texts, problems),
        problems=tuple(problems),
        texts=dict(texts),
    )


def _rules(texts: Mapping[str, str], problems: list[str]) -> list[Rule]:
    found: list[Rule] = []
    for key, text in texts.items():
        if not key.startswith(_IGNORE):
            continue
        said = _yaml(key, text, problems)
        if not isinstance(said, dict):
            continue
        group, kind = _about(key.removeprefix(_IGNORE))
        found.append(
            Rule(
                group=group,
                kind=kind,
                pointers=_texts(said.get("jsonPointers")),
                expressions=_texts(said.get("jqPathExpressions")),
                managers=_texts(said.get("managedFieldsManagers")),
            )
        )
    return found


def _about(key: str) -> tuple[str, str]:
    """`apps_Deployment`, `Secret` of the core group, `all`."""
    if key == "all":
        return "*", "*"
    group, _, kind = key.rpartition("_")
    return group, kind


def _filters(
    texts: Mapping[str, str], key: str, problems: list[str], default: tuple[Filter, ...]
) -> tuple[Filter, ...]:
    if not texts.get(key):
        return default
    said = _yaml(key, texts[key], problems)
    if not isinstance(said, list):
        return default
    return tuple(
        Filter(_texts(one.get("apiGroups")), _texts(one.get("kinds")), _texts(one.get("clusters")))
        for one in said
        if isinstance(one, dict)
    )


def _expires(texts: Mapping[str, str], problems: list[str]) -> timedelta:
    text = texts.get("timeout.reconciliation")
    if not text:
        return timedelta(seconds=_EXPIRES)
    try:
        found = seconds(text)
    except ValueError as error:
        problems.append(f"timeout.reconciliation: {error}")
        return timedelta(seconds=_EXPIRES)
    return timedelta(seconds=found) if found > 0 else _NEVER


def _yaml(key: str, text: str, problems: list[str]) -> object:
    try:
        return yaml.load(text.encode(), what=key)
    except ArgosyError as error:
        problems.append(str(error))
        return None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list) else ()

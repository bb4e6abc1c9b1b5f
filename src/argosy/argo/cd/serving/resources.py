"""What an application should have beside what it has: for people who compare, and for agents that report. Values of Secrets are masked."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import msgspec

from argosy.argo.cd.applications.comparison import Comparison
from argosy.argo.cd.compare.comparing import Verdict
from argosy.argo.cd.resources import Pair
from argosy.kube.objects import Object, annotations_of, metadata, revision_of

_JSON = msgspec.json.Encoder()
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_MASK = "++++++++"


class Differing(msgspec.Struct, rename="camel", omit_defaults=True):
    """One field, what Git says of it, what it is, and why."""

    path: str
    why: str
    desired: object = None
    live: object = None


class ManagedResource(msgspec.Struct, rename="camel", omit_defaults=True):
    """The states are JSON in text, as Argo CD's clients want them; `null` where there is none."""

    kind: str
    name: str
    target_state: str
    live_state: str
    group: str = ""
    namespace: str = ""
    hook: bool = False
    resource_version: str = ""
    modified: bool = False
    requires_pruning: bool = False
    differences: list[Differing] = []
    trouble: str = ""


def managed(comparison: Comparison) -> list[ManagedResource]:
    hooks = {
        (one.group, one.kind, one.namespace, one.name) for one in comparison.report.resources if one.hook
    }
    return [
        _managed(pair, comparison.verdicts.get(pair.key), hook=tuple(pair.key) in hooks)
        for pair in comparison.pairs
    ]


def shown(obj: Object) -> Object:
    """One object, as people may see it."""
    return _masked(_trimmed(obj), {})


def _managed(pair: Pair, verdict: Verdict | None, *, hook: bool) -> ManagedResource:
    masks: dict[str, str] = {}
    target = _masked(pair.target, masks) if pair.target is not None else None
    live = _masked(_trimmed(pair.live), masks) if pair.live is not None else None
    return ManagedResource(
        kind=pair.key.kind,
        name=pair.key.name,
        group=pair.key.group,
        namespace=pair.key.namespace,
        target_state=_text(target),
        live_state=_text(live),
        hook=hook,
        resource_version=revision_of(pair.live) if pair.live is not None else "",
        modified=verdict.modified if verdict is not None else pair.target is None or pair.live is None,
        requires_pruning=pair.target is None,
        differences=[
            Differing(path=one.path, why=one.why, desired=one.desired, live=one.live)
            for one in (verdict.differences if verdict is not None else ())
        ],
        trouble=verdict.trouble if verdict is not None else "",
    )


def _text(obj: Object | None) -> str:
    return "null" if obj is None else _JSON.encode(obj).decode()


def _trimmed(obj: Object) -> Object:
    """Without what only the server reads."""
    return {
        **obj,
        "metadata": {name: value for name, value in metadata(obj).items() if name != "managedFields"},
    }


def _masked(obj: Object, masks: dict[str, str]) -> Object:
    """Equal values have equal masks, so that it can be seen whether they are; nothing else can."""
    if obj.get("kind") != "Secret" or obj.get("apiVersion") != "v1":
        return obj
    found = dict(obj)
    for part in ("data", "stringData"):
        held = obj.get(part)
        if isinstance(held, Mapping):
            found[part] = {name: _mask(str(value), part, masks) for name, value in held.items()}
    if _LAST_APPLIED in annotations_of(obj):
        annotations = {**annotations_of(obj), _LAST_APPLIED: _MASK}
        found["metadata"] = {**metadata(obj), "annotations": annotations}
    return found


def _mask(value: str, part: str, masks: dict[str, str]) -> str:
    encoded = value if part == "data" else base64.b64encode(value.encode()).decode()
    return masks.setdefault(encoded, _MASK + "+" * len(masks))

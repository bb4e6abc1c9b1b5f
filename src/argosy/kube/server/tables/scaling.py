"""What an autoscaler aims at, metric by metric: `cpu: 30%/80%`, `10/100 (avg)`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from argosy.kube.objects import Object
from argosy.kube.server.tables.wording import NONE

_MOST = 2
_UNKNOWN = "<unknown>"


def metrics(wanted: Sequence[Object], found: Sequence[Object]) -> str:
    if not wanted:
        return NONE
    told = [_metric(one, found[at] if at < len(found) else {}) for at, one in enumerate(wanted)]
    shown = ", ".join(told[:_MOST])
    return f"{shown} + {len(told) - _MOST} more..." if len(told) > _MOST else shown


def _metric(wanted: Object, found: Object) -> str:
    tell = _TELL.get(wanted.get("type", ""))
    if tell is None:
        return "<unknown type>"
    part, told = tell
    asked, now = wanted.get(part) or {}, found.get(part)
    return told(asked, asked.get("target") or {}, None if now is None else now.get("current") or {})


def _value(_: Object, target: Object, now: Object | None) -> str:
    if "averageValue" in target:
        current = _UNKNOWN if now is None else now.get("averageValue", _UNKNOWN)
        return f"{current}/{target['averageValue']} (avg)"
    return f"{_UNKNOWN if now is None else now.get('value', '0')}/{target.get('value', '0')}"


def _average(_: Object, target: Object, now: Object | None) -> str:
    current = _UNKNOWN if now is None else now.get("averageValue", "0")
    return f"{current}/{target.get('averageValue', '0')}"


def _resource(asked: Object, target: Object, now: Object | None) -> str:
    kind = asked.get("name", "")
    if "averageValue" in target:
        current = _UNKNOWN if now is None else now.get("averageValue", "0")
        return f"{kind}: {current}/{target['averageValue']}"
    used = None if now is None else now.get("averageUtilization")
    wanted = target.get("averageUtilization")
    return (
        f"{kind}: {_UNKNOWN if used is None else f'{used}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"
    )


_TELL: dict[str, tuple[str, Callable[[Object, Object, Object | None], str]]] = {
    "External": ("external", _value),
    "Object": ("object", _value),
    "Pods": ("pods", _average),
    "Resource": ("resource", _resource),
    "ContainerResource": ("containerResource", _resource),
}

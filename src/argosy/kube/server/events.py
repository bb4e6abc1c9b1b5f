"""Events have two faces: `v1`, which is how they are stored here, and `events.k8s.io/v1`, with other names for the same."""

from __future__ import annotations

from argosy.kube.objects import Object

_NAMES = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_BACK = {old: new for new, old in _NAMES.items()}
_ALWAYS_CORE: Object = {
    "reportingComponent": "",
    "reportingInstance": "",
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
}
_ALWAYS_NEW: Object = {"deprecatedSource": {}, "eventTime": None}


def to_core(obj: Object) -> Object:
    made = {_NAMES.get(name, name): value for name, value in obj.items()}
    return {**_ALWAYS_CORE, "involvedObject": {}, **made, "apiVersion": "v1", "kind": "Event"}


def from_core(obj: Object) -> Object:
    made = {_BACK.get(name, name): value for name, value in obj.items() if value != ""}
    return {**_ALWAYS_NEW, **made, "apiVersion": "events.k8s.io/v1", "kind": "Event"}

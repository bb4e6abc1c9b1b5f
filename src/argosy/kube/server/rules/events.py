"""Events, in the core group and in events.k8s.io: the same objects, but the newer API is stricter."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import IMMUTABLE, each, invalid, required

_LIMITS: Final = (("action", 128, True), ("reason", 128, True), ("message", 1024, False))
_MISMATCH: Final = "does not match event.namespace"
_UNSET: Final = "needs to be unset"
_CORE_NAMES: Final = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""Of the core group's fields, what the newer one calls them."""
_REFERENCE: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_FIXED: Final = (
    *("involvedObject", "reason", "message", "source", "firstTimestamp", "lastTimestamp", "count", "reason"),
    *("type", "eventTime", "action", "related", "reportingComponent", "reportingInstance"),
)
_SHOWN: Final = {
    "involvedObject": "core.ObjectReference",
    "related": "*core.ObjectReference",
    "source": "core.EventSource",
}
_ABSENT: Final = {"count": 0, "firstTimestamp": None, "lastTimestamp": None, "eventTime": None}


class EventRules(Builtin):
    create_on_update = True
    repeats_metadata = False

    @property
    def newer(self) -> bool:
        return self.resource.kind.group == "events.k8s.io"

    def value(self, obj: Object, field: str) -> object:
        """By the core group's name."""
        return obj.get(_CORE_NAMES.get(field, field) if self.newer else field)

    def text(self, obj: Object, field: str) -> str:
        return str(self.value(obj, field) or "")

    def part(self, obj: Object, field: str) -> Object:
        found = self.value(obj, field)
        return found if isinstance(found, dict) else {}

    def validate(self, obj: Object) -> list[Cause]:
        causes = self._check_legacy(obj)
        if not self.newer:
            return causes or self.check_plain_metadata(obj)
        causes += [*self.check_metadata(obj), *_check_series(obj)]
        if not obj.get("eventTime"):
            causes.append(required("eventTime"))
        kind = obj.get("type") or ""
        if kind not in {"Normal", "Warning"}:
            causes.append(invalid("type", "", f"has invalid value: {kind}"))
        for field in ("firstTimestamp", "lastTimestamp", "count"):
            if self.value(obj, field):
                causes.append(invalid(field, "", _UNSET))
        if any(self.part(obj, "source").values()):
            causes.append(invalid("source", "", _UNSET))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes = [*self.changed_metadata(new, old), *self._check_legacy(new)]
        if not self.newer:
            return causes
        causes += metadata.check_update(metadata.of(new), metadata.of(old))
        causes += metadata.check_standard_finalizers(metadata.of(new))
        if not same(new.get("series"), old.get("series")):
            causes += _check_series(new)
        for field in _FIXED:
            value = self.value(new, field)
            if (value or None) != (self.value(old, field) or None):
                told = "reportingController" if field == "reportingComponent" else field
                causes.append(invalid(told, _shown(field, value), IMMUTABLE))
        return causes

    def _check_legacy(self, obj: Object) -> list[Cause]:
        """What holds for both, in the core group's names."""
        own, about = (
            metadata.of(obj).get("namespace") or "",
            self.part(obj, "involvedObject").get("namespace") or "",
        )
        causes: list[Cause] = []
        if not obj.get("eventTime"):
            wrong = own not in {"", "default"} if not about else own != about
            if wrong:
                causes.append(invalid("involvedObject.namespace", about, _MISMATCH))
        else:
            causes += self._check_timed(obj, own, about)
        return causes + each("namespace", own, formats.subdomain(own))

    def _check_timed(self, obj: Object, own: str, about: str) -> list[Cause]:
        causes: list[Cause] = []
        if not about and own not in {"default", "kube-system"}:
            causes.append(invalid("involvedObject.namespace", about, _MISMATCH))
        field = "reportingController" if self.newer else "reportingComponent"
        reporter, instance = self.text(obj, "reportingComponent"), self.text(obj, "reportingInstance")
        if not reporter:
            causes.append(required(field))
        causes += each(field, reporter, formats.qualified_name(reporter))
        if not instance:
            causes.append(required("reportingInstance"))
        if formats.size(instance) > 128:
            causes.append(invalid("reportingInstance", "", "can have at most 128 characters"))
        for name, limit, needed in _LIMITS:
            value = self.text(obj, name)
            if needed and not value:
                causes.append(required(name))
            if formats.size(value) > limit:
                causes.append(invalid(name, "", f"can have at most {limit} characters"))
        return causes

    def fields(self, obj: Object) -> dict[str, str]:
        about, source = self.part(obj, "involvedObject"), self.part(obj, "source")
        reporter = self.text(obj, "reportingComponent")
        prefix = "regarding" if self.newer else "involvedObject"
        found = {f"{prefix}.{field}": str(about.get(field) or "") for field in _REFERENCE}
        return {
            **found,
            "reason": self.text(obj, "reason"),
            "reportingController" if self.newer else "reportingComponent": reporter,
            "source": str(source.get("component") or reporter),
            "type": self.text(obj, "type"),
        }


def _check_series(obj: Object) -> list[Cause]:
    series = obj.get("series")
    if series is None:
        return []
    causes: list[Cause] = []
    if (series.get("count") or 0) < 2:
        causes.append(invalid("series.count", "", "should be at least 2"))
    if not series.get("lastObservedTime"):
        causes.append(required("series.lastObservedTime"))
    return causes


def _shown(field: str, value: object) -> object:
    if field in _SHOWN:
        return printed(_SHOWN[field], value)
    return _ABSENT.get(field, "") if value is None else value

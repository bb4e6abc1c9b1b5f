"""ControllerRevisions: what a StatefulSet or DaemonSet looked like once. Their data never changes."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.wording import IMMUTABLE, Printed, as_json, invalid, nonnegative, required


class ControllerRevisionRules(Builtin):
    def default(self, obj: Object) -> None:
        if obj.get("revision") is None:
            obj["revision"] = 0

    def check(self, obj: Object) -> list[Cause]:
        causes = nonnegative("revision", obj.get("revision"))
        data = obj.get("data")
        if data is None:
            causes.append(required("data", "data is mandatory"))
        elif not isinstance(data, dict):
            causes.append(required("data", "data must be a valid JSON object"))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        causes = [*self.check_metadata(new), *nonnegative("revision", new.get("revision"))]
        if new.get("data") != old.get("data"):
            causes.append(invalid("data", Printed(as_json(new.get("data"))), IMMUTABLE))
        return causes

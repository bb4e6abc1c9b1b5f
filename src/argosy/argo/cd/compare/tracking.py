"""Whose an object is: the mark that an application leaves on everything it applies.

The mark names the object too, because other controllers copy annotations to what they make: a copy does not make that ours.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from argosy.argo.cd.resources import is_definition
from argosy.kube.objects import Object, annotations_of, group_version, labels_of, name_of, namespace_of

Method = Literal["annotation", "label", "annotation+label"]
TRACKING_ID, INSTALLATION_ID = "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/installation-id"
INSTANCE_LABEL = "app.kubernetes.io/instance"
_LONGEST_LABEL = 63
_BAD_END = re.compile(r"[^a-zA-Z0-9]+$")


class Mark(NamedTuple):
    application: str
    group: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.application}:{self.group}/{self.kind}:{self.namespace}/{self.name}"

    def is_of(self, obj: Object) -> bool:
        """Objects of the cluster carry the namespace of the application's destination."""
        group, _ = group_version(obj)
        return (
            namespace_of(obj) in {"", self.namespace}
            and name_of(obj) == self.name
            and (group, obj.get("kind")) == (self.group, self.kind)
        )


@dataclass(frozen=True, slots=True)
class Tracking:
    method: Method = "annotation"
    label: str = INSTANCE_LABEL
    installation: str = ""

    def stamp(self, obj: Object, application: str, namespace: str) -> None:
        """In place. `namespace`: of the destination. Definitions are shared by nature and get no mark."""
        if is_definition(obj):
            return
        metadata = obj.setdefault("metadata", {})
        if self.method != "label":
            annotations = metadata["annotations"] = dict(metadata.get("annotations") or {})
            annotations[TRACKING_ID] = str(_mark(obj, application, namespace))
            annotations.pop(INSTALLATION_ID, None)
            if self.installation:
                annotations[INSTALLATION_ID] = self.installation
        if self.method != "annotation":
            value = application if self.method == "label" else shortened(application)
            metadata["labels"] = {**(metadata.get("labels") or {}), self.label: value}

    def mark_on(self, obj: Object) -> Mark | None:
        annotations = annotations_of(obj)
        if annotations.get(INSTALLATION_ID, "") != self.installation:
            return None
        return parsed(annotations.get(TRACKING_ID, ""))

    def application_of(self, obj: Object) -> str:
        """By its instance name (`namespace_name` outside of the control namespace); empty: nobody's."""
        if self.method == "label":
            return str(labels_of(obj).get(self.label, ""))
        mark = self.mark_on(obj)
        return mark.application if mark is not None else ""

    def is_own(self, live: Object | None, target: Object | None) -> bool:
        """Whether the mark is about this very object, and was not copied from another."""
        if live is None or self.method == "label":
            return True
        if target is not None:
            return _mark(target, "", "").is_of(live)
        mark = self.mark_on(live)
        return mark is None or mark.is_of(live)


def parsed(text: str) -> Mark | None:
    application, *rest = text.split(":", 2)
    if len(rest) != 2:
        return None
    kind, place = rest[0].split("/"), rest[1].split("/")
    if len(kind) != 2 or len(place) != 2:
        return None
    return Mark(application, kind[0], kind[1], place[0], place[1])


def shortened(name: str) -> str:
    """As long as a label may be, and with a proper end."""
    return name if len(name) <= _LONGEST_LABEL else _BAD_END.sub("", name[:_LONGEST_LABEL])


def _mark(obj: Object, application: str, namespace: str) -> Mark:
    group, _ = group_version(obj)
    kind = str(obj.get("kind", ""))
    return Mark(application, group, kind, namespace_of(obj) or namespace, name_of(obj))

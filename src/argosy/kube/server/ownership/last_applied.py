"""The way from client-side to server-side apply, for kubectl only.

kubectl used to note what it applied in an annotation. Where that note still holds, a server-side apply by kubectl takes
the fields over without a conflict, and afterwards the note is kept true, so that one can go back.
"""

from __future__ import annotations

import json

from argosy.kube.objects import Object, annotations_of, metadata
from argosy.kube.schema import Struct
from argosy.kube.server.ownership.check import faults
from argosy.kube.server.ownership.compare import compare
from argosy.kube.server.ownership.elements import text
from argosy.kube.server.ownership.fieldset import FieldSet, difference
from argosy.kube.server.ownership.leaves import fields_of
from argosy.kube.server.ownership.shapes import root

KUBECTL = "kubectl"
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_LARGEST = 256 * 1024


def allowed(live: Object, schema: Struct) -> FieldSet:
    """What the note says and the object still has."""
    noted = annotations_of(live).get(ANNOTATION)
    try:
        last = json.loads(noted) if noted else None
    except ValueError:
        return {}
    if not isinstance(last, dict) or not last.get("kind") or last.get("apiVersion") != live.get("apiVersion"):
        return {}
    shape = root(schema)
    if faults(shape, last) or faults(shape, live):
        return {}
    found = fields_of(shape, last)
    for changed in compare(shape, last, live):
        found = difference(found, changed)
    return found


def refresh(obj: Object, intent: Object) -> None:
    """Where there is a note, it says what was applied now; too large, it goes."""
    annotations = annotations_of(obj)
    if not annotations.get(ANNOTATION):
        return
    noted = {name: value for name, value in annotations_of(intent).items() if name != ANNOTATION}
    meta = metadata(intent)
    said = {**intent, "metadata": {**meta, "annotations": noted}} if "annotations" in meta else intent
    annotations[ANNOTATION] = text(said) + "\n"
    size = sum(len(name.encode()) + len(value.encode()) for name, value in annotations.items())
    if size > _LARGEST:
        del annotations[ANNOTATION]

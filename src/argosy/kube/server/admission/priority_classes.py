"""Only one PriorityClass is the default one."""

from __future__ import annotations

from argosy.kube.server.admission.write import Write

_CLASSES = "priorityclasses.scheduling.k8s.io"


def check(write: Write) -> None:
    if not (write.creates(_CLASSES) or write.updates(_CLASSES)) or not write.obj.get("globalDefault"):
        return
    others = [
        one["metadata"]["name"]
        for one in write.reader.list(_CLASSES)
        if one.get("globalDefault") and (one["metadata"]["name"] != write.name or write.operation == "CREATE")
    ]
    if others:
        told = f"PriorityClass {others[0]} is already marked as default. Only one default can exist"
        raise write.forbidden(told)

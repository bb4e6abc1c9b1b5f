"""What most actions do: set a field, drop one, annotate. Each makes a function for `Builtin.do`."""

from __future__ import annotations

from collections.abc import Callable

from argosy.argo.cd.actions.model import ActionError, Call, Do
from argosy.domain.health.reading import part
from argosy.kube.objects import Object

RESTARTED_AT = "kubectl.kubernetes.io/restartedAt"


def at(obj: Object, *path: str) -> Object:
    """The map at `path`, made where it is missing."""
    for name in path:
        inner = obj.get(name)
        if not isinstance(inner, dict):
            inner = obj[name] = {}
        obj = inner
    return obj


def put(value: object, *path: str) -> Do:
    def do(call: Call) -> None:
        at(call.obj, *path[:-1])[path[-1]] = value

    return do


def drop(*path: str) -> Do:
    def do(call: Call) -> None:
        part(call.obj, *path[:-1]).pop(path[-1], None)

    return do


def unset(*path: str) -> Do:
    """Makes it false where it is set; what is absent stays so."""

    def do(call: Call) -> None:
        fields = part(call.obj, *path[:-1])
        if fields.get(path[-1]):
            fields[path[-1]] = False

    return do


def annotate(name: str, value: str | Callable[[Call], str] = Call.stamp) -> Do:
    def do(call: Call) -> None:
        at(call.obj, "metadata", "annotations")[name] = value if isinstance(value, str) else value(call)

    return do


def forget(*names: str) -> Do:
    def do(call: Call) -> None:
        for name in names:
            part(call.obj, "metadata", "annotations").pop(name, None)

    return do


def restart_pods(call: Call) -> None:
    at(call.obj, "spec", "template", "metadata", "annotations")[RESTARTED_AT] = call.stamp()


def scale(call: Call) -> None:
    at(call.obj, "spec")["replicas"] = whole_number(call.params.get("replicas", ""))


def whole_number(text: str) -> int:
    if not (text.isascii() and text.strip().isdigit()):
        raise ActionError(f"invalid number: {text}")
    return int(text)


def is_set(*path: str) -> Callable[[Object], bool]:
    return lambda obj: bool(part(obj, *path[:-1]).get(path[-1]))


def is_not_set(*path: str) -> Callable[[Object], bool]:
    return lambda obj: not part(obj, *path[:-1]).get(path[-1])


def is_annotated(name: str, value: str) -> Callable[[Object], bool]:
    return lambda obj: part(obj, "metadata", "annotations").get(name) == value


def is_not_annotated(name: str, value: str) -> Callable[[Object], bool]:
    return lambda obj: part(obj, "metadata", "annotations").get(name) != value

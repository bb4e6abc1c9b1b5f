"""JSON patch (RFC 6902), with the liberties that the API server's library takes: `replace` may add a field, indices may
count from the end, a copy of what is not there copies null."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import msgspec

from argosy.kube.errors import Cause, invalid
from argosy.kube.objects import Object
from argosy.kube.server.patches.depth import bounded
from argosy.kube.server.patches.refused import MOST_COPIED, MOST_OPERATIONS, inapplicable, malformed, too_many

Container: TypeAlias = dict[str, Any] | list[Any]

_INDEX = re.compile(r"[+-]?[0-9]{1,18}", re.ASCII)
_TYPES = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}
_GO_OPERATION, _GO_OPERATIONS = "handlers.jsonPatchOp", "[]handlers.jsonPatchOp"


@bounded
def json_patch(obj: Object, operations: object) -> Object:
    """A new object; `obj` stays as it is."""
    document: Container = _copy(obj)
    copied = 0
    for said in _operations(operations):
        operation = _Operation(said)
        if operation.kind == "copy":
            copied += operation.size(document)
            if copied > MOST_COPIED:
                raise inapplicable()
        document = operation.on(document)
    if not isinstance(document, dict):
        message = (
            'Invalid value: "[]": json: cannot unmarshal array into Go value of type map[string]interface {}'
        )
        raise invalid("", "", [Cause("FieldValueInvalid", message, "patch")])
    return document


def unknown_fields(operations: object) -> list[str]:
    """For field validation: what operations have beyond what an operation has."""
    known = {"op", "path", "from", "value"}
    return [
        f'json patch unknown field "[{index}].{name}"'
        for index, name in _names(operations)
        if name not in known
    ]


def _names(operations: object) -> Iterator[tuple[int, str]]:
    for index, operation in enumerate(operations if isinstance(operations, list) else []):
        for name in operation if isinstance(operation, dict) else ():
            yield index, name


def _operations(operations: object) -> list[dict[str, object]]:
    if operations is None:
        return []
    if not isinstance(operations, list):
        raise _wrong_type(operations, f"value of type {_GO_OPERATIONS}")
    found: list[dict[str, object]] = []
    for operation in operations:
        if operation is not None and not isinstance(operation, dict):
            raise _wrong_type(operation, f"value of type {_GO_OPERATION}")
        for name in ("op", "path", "from"):
            said = (operation or {}).get(name)
            if said is not None and not isinstance(said, str):
                raise _wrong_type(said, f"struct field jsonPatchOp.{name} of type string")
        found.append(operation or {})
    if len(found) > MOST_OPERATIONS:
        raise too_many(len(found))
    return found


def _wrong_type(value: object, wanted: str) -> Exception:
    kind = _TYPES.get(type(value), "null")
    return malformed(f"error decoding patch: json: cannot unmarshal {kind} into Go {wanted}")


class _Operation:
    def __init__(self, said: dict[str, object]) -> None:
        self.kind, self.value = said.get("op"), said.get("value")
        self._said = said

    def on(self, document: Container) -> Container:
        match self.kind:
            case "add":
                _Place(document, self._pointer("path")).add(_copy(self.value))
            case "remove":
                _Place(document, self._pointer("path")).remove()
            case "replace":
                return self._replace(document)
            case "move":
                place = _Place(document, self._pointer("from"))
                value = place.get()
                place.remove()
                _Place(document, self._pointer("path")).add(value)
            case "copy":
                value = _copy(_Place(document, self._pointer("from")).get())
                _Place(document, self._pointer("path")).add(value)
            case "test":
                self._test(document)
            case _:
                raise inapplicable()
        return document

    def size(self, document: Container) -> int:
        """Of what is copied, in bytes."""
        return len(msgspec.json.encode(_Place(document, self._pointer("from")).get()))

    def _replace(self, document: Container) -> Container:
        path = self._pointer("path")
        if path:
            place = _Place(document, path)
            place.get()
            place.set(_copy(self.value))
            return document
        if not isinstance(self.value, dict | list):
            raise inapplicable()
        replacement: Container = _copy(self.value)
        return replacement

    def _test(self, document: Container) -> None:
        path = self._pointer("path")
        found = _Place(document, path).get() if path else document
        if not _equal(found, self.value):
            raise inapplicable()

    def _pointer(self, name: str) -> str:
        said = self._said.get(name)
        if not isinstance(said, str):
            raise inapplicable()
        return said


class _Place:
    """Where the last step of a pointer leads, whether or not anything is there yet."""

    def __init__(self, document: Container, pointer: str) -> None:
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        if not steps:
            raise inapplicable()
        at: object = document
        for step in steps[:-1]:
            at = _step(at, step)
        if not isinstance(at, dict | list):
            raise inapplicable()
        self._in: Container = at
        self._key = steps[-1]

    def get(self) -> Any:
        if isinstance(self._in, dict):
            return self._in.get(self._key)
        return self._in[_index(self._key, len(self._in))]

    def set(self, value: object) -> None:
        if isinstance(self._in, dict):
            self._in[self._key] = value
        else:
            self._in[_index(self._key, len(self._in))] = value

    def add(self, value: object) -> None:
        if isinstance(self._in, dict):
            self._in[self._key] = value
        elif self._key == "-":
            self._in.append(value)
        else:
            self._in.insert(_index(self._key, len(self._in) + 1), value)

    def remove(self) -> None:
        if isinstance(self._in, list):
            del self._in[_index(self._key, len(self._in))]
        elif self._key in self._in:
            del self._in[self._key]
        else:
            raise inapplicable()


def _step(at: object, step: str) -> object:
    if isinstance(at, dict):
        return at.get(step)
    return at[_index(step, len(at))] if isinstance(at, list) else None


def _index(step: str, size: int) -> int:
    if not _INDEX.fullmatch(step):
        raise inapplicable()
    index = int(step)
    if not -size <= index < size:
        raise inapplicable()
    return index + size if index < 0 else index


def _equal(one: object, other: object) -> bool:
    """As it is written: 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return one == other


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(below) for name, below in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value

"""JSON patches (RFC 6902) as kustomize's library does them: `replace` may add a key, an index may count from the end.

Upstream turns the object into JSON and back for it, after which a text stands in quotes only where it must.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import copied, old_yaml, plain
from argosy.manifests.kustomize.scalars import OLD_WORDS, Odd, Quoted, resolve
from argosy.manifests.tree import SourceError

Container: TypeAlias = dict[str, Any] | list[Any]
_INDEX = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_NOT_PLAIN = re.compile(r"^[\s\-?:,\[\]{}#&*!|>'\"%@`]|:\s|\s#|[\s:]$|[\n\t\r]")
_PLAIN_DASH = re.compile(r"^[-?:][^\s,\[\]{}]")
_MOST_COPIED = 1_000_000


class Refused(SourceError):
    """The patch does not fit the object."""


def operations(text: str) -> list[dict[str, Any]]:
    """Raises when the text is no JSON patch. What begins with a bracket must be JSON; the rest is YAML."""
    try:
        value = json.loads(text) if text.startswith("[") else old_yaml(text)
    except ValueError as error:
        raise Refused(f"json: {error}") from error
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, dict | None) for one in value):
        kind = "object" if isinstance(value, dict) else "value"
        raise Refused(f"json: cannot unmarshal {kind} into Go value of type jsonpatch.Patch")
    return [one or {} for one in value]


def patched(obj: Object, patch: Sequence[dict[str, Any]]) -> Object:
    document: Container = plain(obj)
    budget = _MOST_COPIED
    for operation in patch:
        if operation.get("op") == "copy":
            budget -= _size(_Place(document, _pointer(operation, "from"), "copy").get())
            if budget < 0:
                raise Refused("the copies of this patch are too large")
        document = _applied(document, operation)
    if not isinstance(document, dict):
        raise Refused("json: cannot unmarshal array into Go value of type map[string]interface {}")
    return {key: from_json(value) for key, value in document.items()}


def _applied(document: Container, operation: dict[str, Any]) -> Container:
    match kind := operation.get("op"):
        case "add":
            _Place(document, _pointer(operation, "path"), kind).add(copied(operation.get("value")))
        case "remove":
            _Place(document, _pointer(operation, "path"), kind).remove()
        case "replace":
            return _replaced(document, operation)
        case "move":
            place = _Place(document, _pointer(operation, "from"), kind)
            value = place.get()
            place.remove()
            _Place(document, _pointer(operation, "path"), kind).add(value)
        case "copy":
            value = copied(_Place(document, _pointer(operation, "from"), kind).get())
            _Place(document, _pointer(operation, "path"), kind).add(value)
        case "test":
            _test(document, operation)
        case _:
            raise Refused(f"Unexpected kind: {kind or 'unknown'}")
    return document


def _replaced(document: Container, operation: dict[str, Any]) -> Container:
    path, value = _pointer(operation, "path"), copied(operation.get("value"))
    if path:
        place = _Place(document, path, "replace")
        place.get()
        place.set(value)
        return document
    if not isinstance(value, dict | list):
        raise Refused("replace operation value must be object or array")
    return value


def _test(document: Container, operation: dict[str, Any]) -> None:
    path = _pointer(operation, "path")
    found = _Place(document, path, "test").get() if path else document
    if not _equal(found, operation.get("value")):
        raise Refused(f"testing value {path} failed: test failed")


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    return bool(one == other)


def _pointer(operation: dict[str, Any], name: str) -> str:
    said = operation.get(name)
    if not isinstance(said, str):
        raise Refused(f"{operation.get('op')} operation failed to decode {name}: missing value")
    return said


class _Place:
    """Where the last step of a pointer leads, whether or not anything is there yet."""

    def __init__(self, document: Container, pointer: str, kind: str) -> None:
        self._pointer, shown = pointer, f'"{pointer}"' if kind in {"add", "remove"} else pointer
        self._said = f"{kind} operation does not apply: doc is missing {{}}: {shown}: missing value"
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        if not steps:
            raise self._missing("path")
        at: Any = document
        for step in steps[:-1]:
            at = self._step(at, step)
        if not isinstance(at, dict | list):
            raise self._missing("path")
        self._in: Container = at
        self._key = steps[-1]

    def _missing(self, what: str) -> Refused:
        return Refused(self._said.replace("{}", what))

    def _step(self, at: Any, step: str) -> Any:
        if isinstance(at, dict):
            return at.get(step)
        if isinstance(at, list) and _INDEX.fullmatch(step) and -len(at) <= int(step) < len(at):
            return at[int(step)]
        raise self._missing("path")

    def _index(self, size: int) -> int:
        if not _INDEX.fullmatch(self._key):
            raise Refused(f"value was not a proper array index: '{self._key}'")
        index = int(self._key)
        if not -size <= index < size:
            raise Refused(f"Unable to access invalid index: {index}: invalid index referenced")
        return index + size if index < 0 else index

    def get(self) -> Any:
        if isinstance(self._in, dict):
            return self._in.get(self._key)
        return self._in[self._index(len(self._in))]

    def set(self, value: Any) -> None:
        if isinstance(self._in, dict):
            self._in[self._key] = value
        else:
            self._in[self._index(len(self._in))] = value

    def add(self, value: Any) -> None:
        if isinstance(self._in, dict):
            self._in[self._key] = value
        elif self._key == "-":
            self._in.append(value)
        else:
            self._in.insert(self._index(len(self._in) + 1), value)

    def remove(self) -> None:
        if isinstance(self._in, list):
            del self._in[self._index(len(self._in))]
        elif self._key in self._in:
            del self._in[self._key]
        else:
            raise Refused(
                f"error in remove for path: '{self._pointer}': Unable to remove nonexistent key: {self._key}: missing value"
            )


def _size(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + sum(len(key) + _size(one) for key, one in value.items())
    if isinstance(value, list):
        return 1 + sum(map(_size, value))
    return len(value) if isinstance(value, str) else 1


def from_json(value: Any) -> Any:
    """As it is after upstream wrote it as YAML and read it again."""
    if isinstance(value, dict):
        return {key: from_json(one) for key, one in value.items()}
    if isinstance(value, list):
        return [from_json(one) for one in value]
    if isinstance(value, str):
        return Quoted(value) if _needs_quotes(value) else value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1_000_000:
        return Odd(int(float(value)), _exponential(value))
    return value


def _exponential(value: int) -> str:
    """Go reads JSON's numbers as floats, and writes those of a million or more so: `1.5e+06`."""
    digits = str(int(float(value))).lstrip("-")
    first, rest = digits[0], digits[1:].rstrip("0")
    point = f".{rest}" if rest else ""
    return f"{'-' if value < 0 else ''}{first}{point}e+{len(digits) - 1:02d}"


def _needs_quotes(text: str) -> bool:
    return (
        type(resolve(text)) is not str
        or text in OLD_WORDS
        or _BASE_60.fullmatch(text) is not None
        or (
            _NOT_PLAIN.search(text) is not None
            and not (_PLAIN_DASH.match(text) and not _NOT_PLAIN.search(text[1:]))
        )
    )

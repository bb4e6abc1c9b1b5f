"""The dotted paths of replacements and vars: `spec.containers.[name=web].env.0.value`, `*` for every element.

A place is a container and the key or index in it, so that whoever found it can put something else there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from argosy.manifests.kustomize.paths import wrong_kind
from argosy.manifests.kustomize.scalars import Fresh, Quoted, is_null, text_of
from argosy.manifests.kustomize.selectors import compiled
from argosy.manifests.tree import SourceError


class Nothing:
    """No value is there."""


class Place(NamedTuple):
    holder: Any
    key: Any

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value


def look_up(value: Any, path: Sequence[str]) -> Any:
    """The one value at an exact path, or `Nothing`."""
    for part in path:
        part = part.strip()
        if not part:
            continue
        value = _next(value, part)
        if value is Nothing:
            return Nothing
    return value


def _next(value: Any, part: str) -> Any:
    if re.fullmatch(r"[+-]?\d{1,9}", part, re.ASCII) or part == "-":
        return _element(value, part)
    if part == "*":
        raise SourceError("wildcard is not supported in PathGetter")
    if _is_element(part):
        name, wanted = _name_and_value(part)
        return next((one for one in _listed(value) if _is_called(one, name, wanted)), Nothing)
    if is_null(value):
        return Nothing
    if not isinstance(value, dict):
        raise wrong_kind("MappingNode", value)
    return value.get(part, Nothing)


def _element(value: Any, part: str) -> Any:
    elements = _listed(value)
    index = len(elements) - 1 if part == "-" else int(part)
    if index < 0:
        raise SourceError(f"array index {index} cannot be negative")
    return elements[index] if index < len(elements) else Nothing


def _is_called(element: Any, name: str, wanted: str) -> bool:
    if not name:
        return text_of(element) == wanted
    return isinstance(element, dict) and name in element and text_of(element[name]) == wanted


def _listed(value: Any) -> list[Any]:
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise wrong_kind("SequenceNode", value)
    return value


def _is_element(part: str) -> bool:
    return part.startswith("[") and part.endswith("]")


def _is_index(part: str) -> bool:
    return re.fullmatch(r"\+?\d{1,9}", part, re.ASCII) is not None


def _name_and_value(part: str) -> tuple[str, str]:
    name, equals, value = part[1:-1].partition("=")
    if not equals:
        raise SourceError("list path element must contain fieldName=fieldValue for element to match")
    return name, value


def places(holder: Any, key: Any, path: Sequence[str], create: Any = None) -> list[Place]:
    """All that the path matches below `holder[key]`. `create`: what the last part becomes where nothing is (`{}`, `[]` or
    `Fresh()`); then missing parts on the way are made."""
    return list(_matching(Place(holder, key), path, create))


def _matching(at: Place, path: Sequence[str], create: Any) -> Iterator[Place]:
    if not path:
        yield at
    elif _is_index(path[0]):
        yield from _at_index(at, path, create)
    elif _is_element(path[0]):
        yield from _elements(at, path, create)
    elif path[0] == "*":
        elements = _listed(at.value)
        for index in range(len(elements)):
            yield from _matching(Place(elements, index), path[1:], create)
    else:
        yield from _field(at, path, create)


def _made(path: Sequence[str], create: Any) -> Any:
    """What a missing part must be for the parts behind it."""
    if len(path) < 2:
        return type(create)()
    return [] if _is_element(path[1]) or _is_index(path[1]) else {}


def _field(at: Place, path: Sequence[str], create: Any) -> Iterator[Place]:
    value = at.value
    if is_null(value):
        if create is None:
            return
        at.put({})
        value = at.value
    if not isinstance(value, dict):
        raise wrong_kind("MappingNode", value)
    if path[0] not in value:
        if create is None:
            return
        value[path[0]] = _made(path, create)
    yield from _matching(Place(value, path[0]), path[1:], create)


def _at_index(at: Place, path: Sequence[str], create: Any) -> Iterator[Place]:
    elements, index = _listed(at.value), int(path[0])
    if len(elements) == index and create is not None:
        elements.append(_made(path, create))
    if index >= len(elements):
        raise SourceError(f"index {index} specified but only {len(elements)} elements found")
    yield from _matching(Place(elements, index), path[1:], create)


def _elements(at: Place, path: Sequence[str], create: Any) -> Iterator[Place]:
    """The value is a regular expression that may match a part of the text."""
    name, wanted = _name_and_value(path[0])
    elements = _listed(at.value)
    found = list(_elements_like(elements, name, wanted, path, create))
    if not found and create is not None:
        elements.append({name: Fresh(wanted)} if name else Fresh(wanted))
        found = list(_elements_like(elements, name, wanted, path, create))
    yield from found


def _elements_like(
    elements: list[Any], name: str, wanted: str, path: Sequence[str], create: Any
) -> Iterator[Place]:
    pattern = compiled(wanted)
    for index, one in enumerate(elements):
        if not name:
            if pattern.search(_as_yaml(one)):
                yield Place(elements, index)
        elif isinstance(one, dict) and name in one and pattern.search(_as_yaml(one[name])):
            yield from _matching(Place(elements, index), path[1:], create)


def _as_yaml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, Quoted) else text_of(value)


FRESH = Fresh()

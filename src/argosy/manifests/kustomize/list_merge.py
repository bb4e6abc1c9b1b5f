"""Merges the elements of two lists by their keys, as kyaml does it.

Which elements belong together is said by the texts of their keys (`containerPort` and `protocol` of a port; an element may leave one out). The
patch's elements come first, in its order; then those that only the object has. Elements without any key behave strangely upstream: the
same here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from argosy.manifests.kustomize.paths import wrong_kind
from argosy.manifests.kustomize.scalars import is_null, is_scalar, new_text, text_of

Walk: TypeAlias = Callable[[Any, Any], Any]
"""Merges one element of each side; None stands for no element, and for one that is deleted."""
Values: TypeAlias = list[str]


@dataclass(slots=True)
class Elements:
    dest: list[Any]
    patch: list[Any] | None
    keys: Sequence[str]

    @property
    def sides(self) -> list[list[Any]]:
        """The patch's are met first."""
        return [self.dest] if self.patch is None else [self.patch, self.dest]


def merge_elements(elements: Elements, walk: Walk) -> list[Any]:
    if not elements.keys:
        return _merge_by(elements, [""], [[text] for text in _texts(elements)], walk)
    found = _values(elements)
    if len(elements.keys) > 1:
        _fill_in(found)
    return _merge_by(elements, list(elements.keys), found, walk)


def _texts(elements: Elements) -> list[str]:
    return list(dict.fromkeys(text_of(one) for side in elements.sides for one in side))


def _values(elements: Elements) -> list[Values]:
    """The key texts of every element, each combination once. Empty where an element has no such key."""
    found: list[Values] = []
    for side in elements.sides:
        for one in side:
            values = [_key_text(one, key) for key in elements.keys]
            if values not in found:
                found.append(values)
    return found


def _key_text(element: Any, key: str) -> str:
    value = element.get(key) if isinstance(element, dict) else None
    return "" if is_null(value) or not is_scalar(value) else text_of(value)


def _fill_in(found: list[Values]) -> None:
    """What one element leaves out, another that agrees with it says."""
    for index in range(len(found)):
        values = found[index]
        for other in range(len(found)):
            agreed = _agreed(values, found[other])
            if agreed is not None:
                found[index] = found[other] = agreed


def _agreed(one: Values, other: Values) -> Values | None:
    common = False
    agreed: Values = []
    for mine, theirs in zip(one, other, strict=True):
        if mine == theirs:
            common = True
        elif mine and theirs:
            return None
        agreed.append(mine or theirs)
    return agreed if common else None


def _merge_by(elements: Elements, keys: list[str], found: list[Values], walk: Walk) -> list[Any]:
    merged: list[Any] = []
    used = keys
    for values in found:
        used, wanted = _used(found, values, keys)
        only, texts = _used([wanted], wanted, used)
        value = walk(_find(elements.dest, only, texts), _find(elements.patch, only, texts))
        if is_null(value) or value == {}:
            _put(elements.dest, None, used, wanted)
            continue
        if isinstance(value, dict):
            for key, text in zip(used, wanted, strict=True):
                if key not in value and text:
                    value[key] = new_text(text)
        _put(merged, value, used, wanted)
    return _appended(merged, elements.dest, used) if found else elements.dest


def _used(found: list[Values], values: Values, keys: list[str]) -> tuple[list[str], Values]:
    """Keys that nobody has a value for do not count, unless nobody has any."""
    having = {key for one in found for key, text in zip(keys, one, strict=True) if text}
    if not having:
        return keys, values
    pairs = [(key, text) for key, text in zip(keys, values, strict=True) if key in having]
    return [key for key, _ in pairs], [text for _, text in pairs]


def _find(side: list[Any] | None, keys: list[str], texts: Values) -> Any:
    if side is None:
        return None
    if not keys[0]:
        return next((one for one in side if text_of(one) == texts[0]), None)
    return next(
        (
            one
            for one in side
            if isinstance(one, dict)
            and all(key in one and text_of(one[key]) == text for key, text in zip(keys, texts, strict=True))
        ),
        None,
    )


def _put(into: list[Any], value: Any, keys: Sequence[str], texts: Values) -> None:
    """In the place of every element with these keys, else at the end. None takes them out."""
    kept: list[Any] = []
    there = False
    for one in into:
        if is_null(one) or one == {}:
            continue
        if not isinstance(one, dict) and keys[0] and texts and texts[0]:
            kept.append(one)
        elif not _has(one, keys, texts):
            if texts:
                kept.append(one)
        else:
            there = True
            if value is not None:
                kept.append(value)
    if not there and value is not None and not is_null(value):
        kept.append(value)
    into[:] = kept


def _has(element: Any, keys: Sequence[str], texts: Values) -> bool:
    for index, key in enumerate(keys):
        if index >= len(texts):
            return index > 0
        if key and not isinstance(element, dict):
            raise wrong_kind("MappingNode", element)
        if not key:
            if text_of(element) != texts[index]:
                return False
        elif key not in element or (texts[index] and text_of(element[key]) != texts[index]):
            return False
    return True


def _appended(merged: list[Any], rest: list[Any], keys: Sequence[str]) -> list[Any]:
    for one in rest:
        if not keys[0]:
            _put(merged, one, keys, [text_of(one)])
            continue
        texts: Values = []
        for key in keys:
            if not isinstance(one, dict):
                raise wrong_kind("MappingNode", one)
            if key in one:
                texts.append(text_of(one[key]))
            else:
                merged.append(one)
        if len(keys) > 1:
            _put(merged, None, keys, texts)
        _put(merged, one, keys, texts)
    return merged

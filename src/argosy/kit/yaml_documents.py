"""YAML for readers with scalar rules of their own: who decides what `yes`, `0644` or `1.10` is hands in a `Reading`.

Kustomize needs it: Go's YAML libraries disagree with PyYAML and with each other, and patches depend on how a scalar was written. The guards
are those of `kit.yaml`, in the same pass: size, depth, aliases, tags.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

import yaml as pyyaml

from argosy.kit.errors import BadRequest
from argosy.kit.yaml import MAX_BYTES, Shape

_CORE = "tag:yaml.org,2002:"


class Reading(Protocol):
    """`style` is how it is quoted: `'`, `"`, `|` or `>`; empty for a plain scalar. `tag` is the short name of an explicit one (`str`, `int`…),
    else empty; `flow`: inside of `{}` or `[]`. Both raise `ValueError` for what they cannot read."""

    last_key_wins: bool
    """Whether a key may stand twice in a mapping; else that is an error."""

    def scalar(
        self, text: str, style: str, tag: str, flow: bool, /
    ) -> Any: ...  # YAML values have no narrower type

    def key(self, text: str, style: str, tag: str, /) -> str: ...


def documents(
    data: bytes | str,
    reading: Reading,
    *,
    what: str = "document",
    largest: int = MAX_BYTES,
    most: int | None = None,
) -> list[Any]:
    """The values of a stream, or the first `most`: what comes behind them is not even looked at. Raises `BadRequest`. A value that is aliased stands in several places: it is one object."""
    if len(data) > largest:
        raise BadRequest(f"the {what} is larger than {largest} bytes", code="yaml.size")
    try:
        return list(islice(_values(data, reading), most))
    except pyyaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark else ""
        raise BadRequest(f"yaml: {where}{error.problem}", code="yaml.syntax") from error
    except (pyyaml.YAMLError, RecursionError, ValueError) as error:
        raise BadRequest(f"yaml: {error}", code="yaml.syntax") from error


def _values(data: bytes | str, reading: Reading) -> Iterator[Any]:
    shape, building = Shape(), _Building(reading)
    for event in pyyaml.parse(data, Loader=pyyaml.CSafeLoader):
        shape.see(event)
        match event:
            case pyyaml.ScalarEvent():
                building.scalar(event)
            case pyyaml.MappingStartEvent():
                building.open.append(_Open({}, event.anchor, bool(event.flow_style)))
            case pyyaml.SequenceStartEvent():
                building.open.append(_Open([], event.anchor, bool(event.flow_style)))
            case pyyaml.CollectionEndEvent():
                building.close(event)
            case pyyaml.AliasEvent():
                building.put(building.anchored(event), event)
            case pyyaml.DocumentEndEvent():
                yield building.open[0].value.pop()
                building.anchors.clear()


@dataclass(slots=True)
class _Open:
    """A mapping or sequence whose end has not come yet."""

    value: Any
    anchor: str | None = None
    flow: bool = False
    key: str | None = None
    merges: list[Any] = field(default_factory=list)
    """What stands behind `<<`."""


_MERGE = "\0<<"


class _Building:
    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.open = [_Open([])]  # the outermost takes the documents
        self.anchors: dict[str, Any] = {}

    def scalar(self, event: pyyaml.ScalarEvent) -> None:
        around = self.open[-1]
        style = event.style or ""
        tag = "" if any(event.implicit) or event.tag is None else event.tag.removeprefix(_CORE)
        tag = "str" if tag == "!" else tag
        if around.key is None and type(around.value) is dict:
            around.key = self._key(around.value, event, style, tag)
            if event.anchor is not None:
                self.anchors[event.anchor] = event.value
            return
        value = self.reading.scalar(event.value, style, tag, around.flow)
        if event.anchor is not None:
            self.anchors[event.anchor] = value
        self.put(value, event)

    def _key(self, around: dict[str, Any], event: pyyaml.ScalarEvent, style: str, tag: str) -> str:
        if not style and event.value == "<<":
            return _MERGE
        key = self.reading.key(event.value, style, tag)
        if key in around and not self.reading.last_key_wins:
            raise BadRequest(
                f'yaml: line {_line(event)}: mapping key "{key[:60]}" already defined',
                code="yaml.duplicate_key",
            )
        return key

    def put(self, value: Any, event: pyyaml.Event) -> None:
        around = self.open[-1]
        if type(around.value) is list:
            around.value.append(value)
        elif around.key is None:
            if not isinstance(value, str):
                raise BadRequest(
                    f"yaml: line {_line(event)}: only text can be a key here", code="yaml.syntax"
                )
            around.key = value
        else:
            if around.key == _MERGE:
                around.merges.append(value)
            else:
                around.value[around.key] = value
            around.key = None

    def close(self, event: pyyaml.Event) -> None:
        ended = self.open.pop()
        if ended.merges:
            _merge(ended, _line(event))
        if ended.anchor is not None:
            self.anchors[ended.anchor] = ended.value
        self.put(ended.value, event)

    def anchored(self, event: pyyaml.AliasEvent) -> Any:
        if event.anchor not in self.anchors:
            raise BadRequest(
                f"yaml: line {_line(event)}: unknown anchor {event.anchor!r} referenced", code="yaml.syntax"
            )
        return self.anchors[event.anchor]


def _merge(ended: _Open, line: int) -> None:
    """What a mapping says itself wins over what it merges; of several, the first wins."""
    for merged in ended.merges:
        for one in merged if isinstance(merged, list) else [merged]:
            if not isinstance(one, dict):
                raise BadRequest(
                    f"yaml: line {line}: map merge requires map or sequence of maps as the value",
                    code="yaml.syntax",
                )
            for key, value in one.items():
                ended.value.setdefault(key, value)


def _line(event: pyyaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 0

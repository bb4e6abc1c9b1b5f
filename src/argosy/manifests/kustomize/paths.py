"""Paths to fields, as kustomize writes them, and the walk to what they name.

A field specification (`spec/template/metadata/labels`, `create: true`) says for which kinds of resources a transformer works and where. The walk goes into
every element of a list on its way, whether or not the path says `[]`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from argosy.kube.objects import Object
from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.scalars import Fresh, is_null, new_text, text_of, text_written
from argosy.manifests.kustomize.tied import Tied
from argosy.manifests.tree import SourceError

Makes: TypeAlias = Literal["", "mapping", "scalar"]
"""What a transformer puts where nothing is, if the specification says `create`."""
Change: TypeAlias = Callable[[Any], Any]
"""From what stands there to what shall."""


class FieldSpec(NamedTuple):
    path: str
    gvk: Gvk = Gvk()
    create: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        return split(self.path)

    def about(self, gvk: Gvk) -> bool:
        return gvk.selected_by(self.gvk)


@lru_cache(maxsize=2048)
def split(path: str, delimiter: str = "/") -> tuple[str, ...]:
    """`\\/` is no delimiter."""
    parts = path.split(delimiter)
    if len(parts) > 1 and not parts[0]:
        parts = parts[1:]
    joined = [parts[0]]
    for part in parts[1:]:
        if joined[-1].endswith("\\"):
            joined[-1] = joined[-1][:-1] + delimiter + part
        else:
            joined.append(part)
    return tuple(joined)


@lru_cache(maxsize=2048)
def split_smartly(path: str) -> tuple[str, ...]:
    """By dots, but not by those in brackets: `a.[b.c].[name=x.y]`."""
    pieces = list(split(path, "."))
    found: list[str] = []
    while pieces:
        piece = pieces.pop(0)
        if piece.startswith("[") and not piece.endswith("]"):
            while pieces:
                piece += f".{pieces.pop(0)}"
                if piece.endswith("]"):
                    break
            if "=" not in piece:
                piece = piece.strip("[]")
        found.append(piece)
    return tuple(found)


def change_field(resource: Resource, spec: FieldSpec, change: Change, makes: Makes = "") -> None:
    """Where the specification is about this kind of resource. Nothing happens where the field is not."""
    if not spec.about(resource.gvk):
        return
    try:
        _walk(resource.obj, spec.parts, change, makes if spec.create else "")
    except SourceError as error:
        raise SourceError(f"considering field '{spec.path}' of object {resource.id}: {error}") from error


def _walk(at: Any, path: tuple[str, ...], change: Change, makes: Makes) -> None:
    if isinstance(at, dict):
        _walk_mapping(at, path, change, makes)
    elif isinstance(at, list):
        for one in at:
            _walk(one, path, change, makes)
    elif not is_null(at):
        raise SourceError("expected sequence or mapping node")


def _walk_mapping(at: Object, path: tuple[str, ...], change: Change, makes: Makes) -> None:
    name = path[0].removesuffix("[]")
    in_list = name != path[0]
    if not name:
        raise SourceError("cannot set or create an empty field name")
    last = len(path) == 1
    if name not in at:
        if not makes or in_list:
            return
        at[name] = Fresh() if last and makes == "scalar" else {}
    elif is_null(at[name]):
        if in_list:
            at[name] = []
        elif makes:
            at[name] = Fresh() if last and makes == "scalar" else {}
    if last:
        at[name] = change(at[name])
    else:
        _walk(at[name], path[1:], change, makes)


def entry(key: str, text: str, tied: list[Tied] | None = None) -> Change:
    """Sets one key of the mapping that is there to a text. `tied`: with all others that get it newly."""

    def change(found: Any) -> Any:
        if is_null(found):
            return found
        if not isinstance(found, dict):
            raise wrong_kind("MappingNode", found)
        if key in found:
            found[key] = text_written(found[key], text)
            return found
        found[key] = new_text(text)
        if tied is not None:
            found = found if isinstance(found, Tied) else Tied(found)
            found.tie(key, tied)
        return found

    return change


def scalar(value: Callable[[str], str], write: Callable[[Any, str], Any] = text_written) -> Change:
    """From the text of the scalar that is there to another."""

    def change(found: Any) -> Any:
        if isinstance(found, dict | list):
            raise wrong_kind("ScalarNode", found)
        return write(found, value(text_of(found)))

    return change


def wrong_kind(wanted: str, found: Any) -> SourceError:
    return SourceError(f"wrong node kind: expected {wanted} but got {kind_of(found)}")


def kind_of(value: Any) -> str:
    return (
        "MappingNode"
        if isinstance(value, dict)
        else "SequenceNode"
        if isinstance(value, list)
        else "ScalarNode"
    )

"""Files with manifests into objects, by the rules of Kubernetes' own readers: several documents in one file, lists taken apart."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.kube.objects import Object
from argosy.manifests.kustomize.scalars import Odd, Quoted, resolve_old, tagged
from argosy.manifests.tree import SourceError

_SEPARATOR = re.compile(r"^---", re.MULTILINE)
_LIKE_A_MANIFEST = ("apiVersion:", "kind:", "metadata:")
_DEEPEST = 100


class Rules:
    """Scalars as `sigs.k8s.io/yaml` reads them: YAML 1.1, made into JSON."""

    last_key_wins = True

    @staticmethod
    def scalar(text: str, style: str, tag: str, flow: bool) -> Any:  # noqa: ARG004 - YAML values have no narrower type
        if tag:
            value = tagged(text, tag)
            return value.value if type(value) is Odd else str(value) if isinstance(value, Quoted) else value
        return text if style else resolve_old(text)

    @staticmethod
    def key(text: str, style: str, tag: str) -> str:
        value = text if style or tag else resolve_old(text)
        return value if isinstance(value, str) else json.dumps(value)


def from_yaml(data: bytes, *, what: str, lenient: bool = False) -> list[Object]:
    """`lenient`: a file that is broken and does not look like manifests is some other file, and has none."""
    text = _text(data, what)
    found: list[Object] = []
    parts = _SEPARATOR.split(text)
    for part in parts:
        if not part.strip():
            continue
        try:
            values = yaml_documents.documents(part, Rules(), what=what)
        except BadRequest as error:
            if lenient and not found and not all(word in text for word in _LIKE_A_MANIFEST):
                return []
            raise SourceError(f'Failed to unmarshal "{what}": {error.message}') from error
        found += [_object(one, what) for one in values if one is not None]
    return flattened(found)


def from_json(data: bytes, *, what: str) -> list[Object]:
    """One object, or a list of them."""
    try:
        value = msgspec.json.decode(_text(data, what).encode())
    except (msgspec.DecodeError, RecursionError) as error:
        raise SourceError(f'Failed to unmarshal "{what}": {error}') from error
    return flattened(_object(one, what) for one in (value if isinstance(value, list) else [value]))


def flattened(objects: Iterable[Object], depth: int = 0) -> list[Object]:
    """Lists are taken apart, whatever their kind is called."""
    found: list[Object] = []
    for one in objects:
        items = one.get("items")
        if str(one.get("kind", "")).endswith("List") and ("items" in one) and depth < _DEEPEST:
            if items is not None and not isinstance(items, list):
                raise SourceError(f"{one['kind']}: items is no list")
            found += flattened([_object(item, str(one["kind"])) for item in items or () if item], depth + 1)
        elif one:
            found.append(one)
    return found


def checked(objects: Iterable[Object], *, what: str) -> list[Object]:
    """Every object says what it is and how it is called."""
    found = list(objects)
    for one in found:
        kind, api = one.get("kind"), one.get("apiVersion")
        if not isinstance(kind, str) or not kind:
            raise SourceError(f"{what}: an object has no kind: {_shown(one)}")
        if not isinstance(api, str) or not api:
            raise SourceError(f"{what}: the {kind} {_name(one)} has no apiVersion")
        metadata = one.get("metadata")
        if metadata is not None and not isinstance(metadata, dict):
            raise SourceError(f"{what}: metadata of a {kind} is no mapping")
        for part in ("labels", "annotations"):
            _check_texts(one, part, what)
        if not _name(one) and not (metadata or {}).get("generateName"):
            raise SourceError(f"{what}: a {kind} has no name (metadata.name)")
    return found


def _check_texts(one: Object, part: str, what: str) -> None:
    held = (one.get("metadata") or {}).get(part)
    if held is None:
        return
    wrong = (
        next((key for key, value in held.items() if not isinstance(value, str | None)), None)
        if isinstance(held, dict)
        else part
    )
    if wrong is not None:
        raise SourceError(
            f"{what}: metadata.{part}.{wrong} of {one.get('kind')} {_name(one)} is no text; put the value in quotes"
        )


def _object(value: Any, what: str) -> Object:  # YAML values have no narrower type
    if not isinstance(value, dict):
        raise SourceError(f'Failed to unmarshal "{what}": a document is no mapping but {_shown(value)}')
    return value


def _text(data: bytes, what: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f'Failed to unmarshal "{what}": it is not UTF-8 at byte {error.start}') from error


def _name(one: Object) -> str:
    metadata = one.get("metadata")
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."

"""Files with manifests into objects, by the rules of Kubernetes' own readers: several documents in one file, lists taken apart.

The renderers of this package end here: what they answer is `checked`, so that nobody later meets an object without a kind or a name.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.tree import SourceError

_SEPARATOR = re.compile(r"^---(.*)$\n?", re.MULTILINE)
_LIKE_A_MANIFEST = ("apiVersion:", "kind:", "metadata:")
_LINE = re.compile(r"\bline (\d+)")
_DEEPEST = 20
_JSON = json.JSONDecoder()
_LARGE_FILE_STORAGE = b"version https://git-lfs.github.com/"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def from_yaml(data: bytes, *, what: str, lenient: bool = False) -> list[Object]:
    """`lenient`: a file that does not look like manifests is some other file (values of a chart, settings of a tool), and has none."""
    text = _text(data, what)
    found: list[Object] = []
    try:
        for value in _values(text):
            if value is not None:
                found.append(_object(value))
    except SourceError as error:
        if lenient and not found and not all(word in text for word in _LIKE_A_MANIFEST):
            return []
        raise SourceError(f'Failed to unmarshal "{what}": {error}') from error
    return flattened(found)


def from_json(data: bytes, *, what: str, several: bool = False) -> list[Object]:
    """One object; or `several`, as jsonnet may answer."""
    text = _text(data, what).strip()
    try:
        value, end = _JSON.raw_decode(text)
        values = value if several and isinstance(value, list) else [value]
        found = [_object(one) for one in values if one is not None or not several]
    except (ValueError, RecursionError, SourceError) as error:
        raise SourceError(f'Failed to unmarshal "{what}": {error}') from error
    if end < len(text):
        raise SourceError(
            f'Found multiple objects in "{what}". Only single objects are allowed in JSON files.'
        )
    return flattened(found)


def flattened(objects: Iterable[Object], depth: int = 0) -> list[Object]:
    """Whatever has `items` is a list and is taken apart, whatever its kind is called; one without any is nothing."""
    found: list[Object] = []
    for one in objects:
        items = one.get("items")
        if isinstance(items, list) and depth < _DEEPEST:
            if any(not isinstance(item, dict) for item in items):
                raise SourceError("items member should be an object")
            found += flattened(items, depth + 1)
        elif not ("items" in one and items is None and "spec" not in one and "status" not in one):
            found.append(one)
    return found


def checked(objects: Iterable[Object], *, what: str) -> list[Object]:
    """Every object says what it is and how it is called."""
    found = list(objects)
    for one in found:
        kind, api = one.get("kind"), one.get("apiVersion")
        if not isinstance(kind, str) or not kind:
            raise SourceError(f"{what}: an object has no kind: {_named(one)}")
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


def _values(text: str) -> Iterator[Any]:
    """JSON objects one after the other, then YAML documents."""
    rest = text
    while (ahead := rest.lstrip()).startswith("{"):
        try:
            value, end = _JSON.raw_decode(ahead)
        except (ValueError, RecursionError):
            break  # YAML's flow style
        yield value
        rest = ahead[end:]
    yield from _documents(rest, text.count("\n", 0, len(text) - len(rest)))


def _documents(text: str, lines: int) -> Iterator[Any]:
    """A separator stands alone in its line, but for a comment. Errors are said to be where they are in the file."""
    at = 0
    for found in [*_SEPARATOR.finditer(text), None]:
        part = text[at : found.start() if found is not None else len(text)]
        if part.strip():
            before = lines + text.count("\n", 0, at)
            try:
                yield old_yaml(part)
            except SourceError as error:
                said = _LINE.sub(lambda line: f"line {int(line[1]) + before}", str(error), count=1)  # noqa: B023 - used at once
                raise SourceError(said) from error
        if found is None:
            return
        behind = found[1].strip()
        if behind and not behind.startswith("#"):
            raise SourceError(f"invalid Yaml document separator: {behind}")
        at = found.end()


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


def _object(value: Any) -> Object:  # YAML values have no narrower type
    if not isinstance(value, dict):
        raise SourceError(f"a document is no mapping but {_KINDS.get(type(value), 'a number')}")
    if not isinstance(value.get("kind"), str) or not value["kind"]:
        raise SourceError(f"Object 'Kind' is missing in {_named(value)}")
    return value


_KINDS = {str: "a text", list: "a list", bool: "a boolean"}


def _text(data: bytes, what: str) -> str:
    if data.startswith(_LARGE_FILE_STORAGE):
        raise SourceError(
            f'"{what}" is kept in Git LFS, which is not fetched here; keep manifests in Git itself'
        )
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(f'Failed to unmarshal "{what}": it is not UTF-8 at byte {error.start}') from error
    return text.replace("\r\n", "\n")


def _name(one: Object) -> str:
    metadata = one.get("metadata")
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""


def _named(one: Object) -> str:
    """Its keys and its name; values might be secret."""
    keys = ", ".join(str(key)[:40] for key in list(one)[:6]) or "nothing in it"
    return f"an object {_name(one)!r} with {keys}" if _name(one) else f"an object with {keys}"

"""The transformer of images: another name, tag or digest for an image, wherever a container names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from argosy.kube.objects import Object
from argosy.manifests.kustomize.paths import FieldSpec, change_field, wrong_kind
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.scalars import is_null, text_of, untagged
from argosy.manifests.kustomize.selectors import as_python

_TAG_AND_DIGEST = r"(:[a-zA-Z0-9_.{}-]*)?(@[a-zA-Z0-9]+([.+_-][a-zA-Z0-9]+)*:[a-zA-Z0-9_.{}-]*)?$"


class Reference(NamedTuple):
    name: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.name}{tag}{f'@{self.digest}' if self.digest else ''}"


class Image(NamedTuple):
    """`name` is a regular expression upstream, so it is one here."""

    name: str
    new_name: str = ""
    tag_suffix: str = ""
    new_tag: str = ""
    digest: str = ""

    def applied(self, text: str) -> str:
        pattern = _pattern(self.name)
        if pattern is None or not pattern.search(text):
            return text
        old = split(text)
        name = self.new_name or old.name
        if self.new_tag:
            return str(Reference(name, self.new_tag, self.digest))
        if self.digest:
            return str(Reference(name, "", self.digest))
        if self.tag_suffix:
            return str(Reference(name, old.tag + self.tag_suffix))
        return str(old._replace(name=name))


@lru_cache(maxsize=512)
def _pattern(name: str) -> re.Pattern[str] | None:
    """None for what is no regular expression: it matches nothing."""
    try:
        return re.compile(f"^{as_python(name)}{_TAG_AND_DIGEST}")
    except re.error:
        return None


def split(image: str) -> Reference:
    """A colon before the first slash is the port of a registry."""
    start = max(image.find("/"), 0)
    at, colon = image.find("@", start), image.find(":", start)
    if at >= 0 and (colon < 0 or at < colon):
        return Reference(image[:at], "", image[at + 1 :])
    if colon < 0:
        return Reference(image)
    if at >= 0:
        return Reference(image[:colon], image[colon + 1 : at], image[at + 1 :])
    return Reference(image[:colon], image[colon + 1 :])


def set_images(resources: Sequence[Resource], image: Image, specs: Sequence[FieldSpec]) -> None:
    def change(old: Any) -> Any:
        if isinstance(old, dict | list):
            raise wrong_kind("ScalarNode", old)
        text = text_of(old)
        applied = image.applied(text)
        return old if applied == text or is_null(old) else untagged(old, applied)

    for one in resources:
        if one.kind == "CustomResourceDefinition":
            continue
        for container in _containers(one.obj):
            if "image" in container:
                container["image"] = change(container["image"])
        for spec in specs:
            change_field(one, spec, change)


def _containers(value: Any) -> Iterator[Object]:
    """Of every list called `containers` or `initContainers`, however deep: so custom resources have theirs changed too."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _containers(one)
            if key in {"containers", "initContainers"} and isinstance(one, list):
                yield from (item for item in one if isinstance(item, dict))
    elif isinstance(value, list):
        for one in value:
            yield from _containers(one)

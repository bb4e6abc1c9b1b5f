"""A folder of plain manifests: YAML, JSON and jsonnet, file by file in the order of their names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from argosy.contracts.argo.source import DirectorySource
from argosy.kube.objects import Object
from argosy.manifests import globs, jsonnet
from argosy.manifests.documents import from_json, from_yaml
from argosy.manifests.environment import Environment
from argosy.manifests.tree import MissingPath, SourceError, Tree

_MANIFEST = re.compile(r".*\.(yaml|yml|json|jsonnet)")
_SKIPPED = b"+argocd:skip-file-rendering"
_MOST_BYTES = 10 * 1024 * 1024


def render(tree: Tree, path: str, source: DirectorySource, environment: Environment) -> list[Object]:
    if tree.form(path) != "folder":
        raise MissingPath(f"{path or '.'}: app path does not exist")
    chosen = list(_files(tree, path, source))
    found: list[Object] = []
    size = 0
    for name in chosen:
        data = tree.read(name)
        if _SKIPPED in data:
            continue
        if not name.endswith(".jsonnet"):
            size += len(data)
            if size > _MOST_BYTES:
                raise SourceError(
                    f"the manifests in {path or '.'} are larger than {_MOST_BYTES // 2**20} MB together; "
                    "exclude what is not meant (directory.exclude)"
                )
        found += _objects(tree, path, name, data, source, environment)
    return found


def _objects(
    tree: Tree, path: str, name: str, data: bytes, source: DirectorySource, environment: Environment
) -> list[Object]:
    shown = name.removeprefix(f"{path}/") if path else name
    if name.endswith(".jsonnet"):
        text = jsonnet.evaluate(tree, name, data, path, source.jsonnet, environment)
        return from_json(text, what=shown, several=True)
    return (
        from_json(data, what=shown) if name.endswith(".json") else from_yaml(data, what=shown, lenient=True)
    )


def _files(tree: Tree, path: str, source: DirectorySource) -> Iterator[str]:
    include, exclude = _pattern(source.include, "include"), _pattern(source.exclude, "exclude")
    for name in _walk(tree, path, recurse=source.recurse):
        relative = name.removeprefix(f"{path}/") if path else name
        if not _MANIFEST.fullmatch(name.rsplit("/", 1)[-1]):
            continue
        if exclude is not None and exclude.match(relative):
            continue
        if include is None or include.match(relative):
            yield name


def _walk(tree: Tree, path: str, *, recurse: bool) -> Iterator[str]:
    """Links to files are followed, links to folders are not."""
    for name in tree.names(path):
        below = f"{path}/{name}" if path else name
        if name == ".git":
            continue
        form = tree.form(below)
        if form == "file":
            yield below
        elif form == "folder" and recurse and not tree.is_link(below):
            yield from _walk(tree, below, recurse=True)


def _pattern(text: str, field: str) -> re.Pattern[str] | None:
    if not text:
        return None
    try:
        return globs.compiled(text, crosses=True)
    except (ValueError, re.error) as error:
        raise SourceError(f"spec.source.directory.{field}: {error}") from error

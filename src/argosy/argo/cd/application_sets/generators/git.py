"""The Git generator: one set of parameters for each folder, or for each file with what it says, of a repository."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from argosy.argo.cd.application_sets.facts import Facts
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generators.templated_values import with_values
from argosy.argo.cd.application_sets.globs import file_matcher, folder_matches
from argosy.argo.cd.application_sets.selecting import flattened
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.contracts.argo.application_set import GitGenerator, GitPath
from argosy.domain.templates import go_yaml
from argosy.domain.templates.sprig.names import normalize
from argosy.domain.templates.values import Strings
from argosy.manifests.tree import SourceError, Tree

_DEEPEST, _MOST = 64, 100_000


def params_of(generator: GitGenerator, facts: Facts, tags: Tags, *, strict_globs: bool) -> list[Params]:
    """Nothing while the repository has still to be fetched (`Facts.wanted`)."""
    if not generator.directories and not generator.files:
        raise GenerationFailed("ApplicationSet is empty: a git generator wants directories or files")
    try:
        tree = facts.tree(generator.repo_url, generator.revision)
        if tree is None:
            return []
        if generator.directories:
            return list(_folders(generator, tree, tags))
        return list(_files(generator, tree, tags, strict_globs=strict_globs))
    except SourceError as error:
        what = "getting directories from git" if generator.directories else "retrieving Git files"
        raise GenerationFailed(f"error generating params from git: error {what}: {error}") from error
    except GenerationFailed as error:
        raise error.within("error generating params from git") from error


def _folders(generator: GitGenerator, tree: Tree, tags: Tags) -> Iterator[Params]:
    for path in _walk(tree, folders=True):
        if _is_wanted(path, generator.directories):
            yield with_values(_path_params(path, generator.path_param_prefix, tags), generator.values, tags)


def _is_wanted(path: str, patterns: Sequence[GitPath]) -> bool:
    """What one pattern excludes no other one brings back."""
    found = [one.exclude for one in patterns if folder_matches(one.path, path)]
    return bool(found) and not any(found)


def _walk(tree: Tree, *, folders: bool) -> Iterator[str]:
    """Folders without those that begin with a dot; files with all of them. Sorted."""
    todo, count = [("", 0)], 0
    found: list[str] = []
    while todo:
        folder, depth = todo.pop()
        for name in tree.names(folder):
            path = f"{folder}/{name}" if folder else name
            count += 1
            if count > _MOST or depth > _DEEPEST:
                raise SourceError(
                    f"the repository has more than {_MOST} entries, or folders deeper than {_DEEPEST}"
                )
            if _form(tree, path) == "folder":
                if folders and name.startswith("."):
                    continue
                todo.append((path, depth + 1))
                if folders:
                    found.append(path)
            elif not folders:
                found.append(path)
    yield from sorted(found)


def _form(tree: Tree, path: str) -> str | None:
    try:
        return tree.form(path)
    except SourceError:
        return None  # a link out of the repository: neither


def _files(generator: GitGenerator, tree: Tree, tags: Tags, *, strict_globs: bool) -> Iterator[Params]:
    matchers = [(one.exclude, file_matcher(one.path, strict=strict_globs)) for one in generator.files]
    for path in _walk(tree, folders=False):
        found = [exclude for exclude, matches in matchers if matches(path)]
        if not found or any(found) or _form(tree, path) != "file":
            continue
        try:
            for said in _objects(tree.read(path)):
                params = _file_params(path, said, generator.path_param_prefix, tags)
                yield with_values(params, generator.values, tags)
        except GenerationFailed as error:
            raise error.within(
                f"unable to process file '{path}' from repository '{generator.repo_url}'"
            ) from error


def _objects(data: bytes) -> list[Params]:
    """One map, or a list of maps; of an empty file one map without anything in it."""
    try:
        found = go_yaml.read(data)
    except go_yaml.BadYaml as error:
        raise GenerationFailed(f"unable to parse file: {error}") from error
    if found is None:
        return [{}]
    if isinstance(found, dict):
        return [found]
    if isinstance(found, list) and all(isinstance(one, dict) for one in found):
        return found
    raise GenerationFailed("unable to parse file: it must be a map, or a list of maps")


def _file_params(path: str, said: Params, prefix: str, tags: Tags) -> Params:
    folder, name = posixpath.dirname(path) or ".", posixpath.basename(path)
    more = {"filename": name, "filenameNormalized": normalize(name)}
    if tags.go:
        return {**said, **_path_params(folder, prefix, tags, more)}
    flat: Params = {**flattened(said)}
    return {**flat, **_path_params(folder, prefix, tags, more)}


def _path_params(path: str, prefix: str, tags: Tags, more: Mapping[str, str] | None = None) -> Params:
    base = posixpath.basename(path)
    parts = {"basename": base, "basenameNormalized": normalize(base), **(more or {})}
    if tags.go:
        told: Params = {"path": path, **parts, "segments": Strings(path.split("/"))}
        return {prefix: {"path": told}} if prefix else {"path": told}
    name = f"{prefix}.path" if prefix else "path"
    return {
        name: path,
        **{f"{name}.{key}": text for key, text in parts.items()},
        **{f"{name}[{at}]": part for at, part in enumerate(path.split("/")) if part},
    }

"""Which files of values a chart is rendered with, in the order in which they override each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from argosy.manifests import globs
from argosy.manifests.environment import Environment
from argosy.manifests.tree import SourceError, Tree, inside

_SAYS = "error resolving value file path"


@dataclass(frozen=True, slots=True)
class ValueFile:
    """`written` is what stands in the Application."""

    tree: Tree
    path: str
    written: str

    @property
    def key(self) -> tuple[int, str]:
        return id(self.tree), self.path


@dataclass(frozen=True, slots=True)
class Places:
    """Where paths start: the chart's folder in its repository, and the other sources by their name (`$name/path`)."""

    tree: Tree
    path: str
    others: Mapping[str, Tree]
    environment: Environment

    def resolved(self, text: str) -> ValueFile:
        """Of a path into another source the variables are put in after the source was found."""
        reference, _, rest = text.partition("/")
        if reference.startswith("$") and reference[1:] in self.others:
            path = inside("", self.environment.substitute(rest), says=f"{_SAYS}: {text}")
            return ValueFile(self.others[reference[1:]], path, text)
        plain = self.environment.substitute(text)
        if "://" in plain:
            raise SourceError(
                f"{_SAYS}: {_without_login(plain)}: value files are not fetched from elsewhere; put the file into a repository, "
                "and name that as another source with ref"
            )
        return ValueFile(self.tree, inside(self.path, plain, says=f"{_SAYS}: {text}"), text)


def chosen(places: Places, said: Sequence[str], *, ignore_missing: bool) -> list[ValueFile]:
    """What is named as itself keeps its own place, although a pattern would have it too."""
    resolved = [places.resolved(text) for text in said]
    named = {one.key for one in resolved if not globs.is_pattern(one.path)}
    found: dict[tuple[int, str], ValueFile] = {}
    for one in resolved:
        if not globs.is_pattern(one.path):
            if one.tree.form(one.path) == "file":
                found.setdefault(one.key, one)
            elif not ignore_missing:
                raise SourceError(f"{_SAYS}: {_missing(one)}")
            continue
        matches = [match for match in _matching(one) if match.key not in named]
        if not matches and not ignore_missing:
            raise SourceError(f"{_SAYS}: the pattern {one.written} matches no file")
        for match in matches:
            found.setdefault(match.key, match)
    return list(found.values())


def _matching(one: ValueFile) -> list[ValueFile]:
    try:
        pattern = globs.compiled(one.path, crosses=False)
    except (ValueError, re.error) as error:
        raise SourceError(f"spec.source.helm.valueFiles: {error}") from error
    start = re.split(r"[*?\[]", one.path)[0].rpartition("/")[0]
    depth = None if "**" in one.path else one.path.count("/")
    below = _below(one.tree, start, depth)
    return [ValueFile(one.tree, path, one.written) for path in below if pattern.match(path)]


def _below(tree: Tree, path: str, depth: int | None) -> Iterator[str]:
    """Files no deeper than the pattern reaches. Links to folders are not followed."""
    if tree.form(path) != "folder":
        return
    for name in tree.names(path):
        one = f"{path}/{name}" if path else name
        form = tree.form(one)
        if form == "file":
            yield one
        elif form == "folder" and (depth is None or one.count("/") < depth) and not tree.is_link(one):
            yield from _below(tree, one, depth)


def _missing(one: ValueFile) -> str:
    if one.written.startswith("$"):
        name = one.written.partition("/")[0][1:]
        return f"{one.written}: no file {one.path!r} there, or no source with the ref {name!r}"
    return f"{one.written}: there is no file {one.path!r}"


def _without_login(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url).partition("?")[0]

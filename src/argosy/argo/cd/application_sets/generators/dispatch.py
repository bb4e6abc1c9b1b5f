"""Chooses the generator that an entry asks for, fills the tags in a nested one, and filters what it made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from argosy.argo.cd.application_sets.facts import Facts
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generators import clusters, combining, git, list_elements
from argosy.argo.cd.application_sets.selecting import selected
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.contracts.argo.application_set import (
    ClusterGenerator,
    Generator,
    GitGenerator,
    ListGenerator,
    MatrixGenerator,
    MergeGenerator,
    Template,
)
from argosy.kube.objects import Object

_KINDS = (
    "list", "clusters", "git", "scm_provider", "cluster_decision_resource", "pull_request", "matrix", "merge",
    "plugin", "oci",
)  # fmt: skip
UNSUPPORTED = {
    "scm_provider": "scmProvider",
    "cluster_decision_resource": "clusterDecisionResource",
    "pull_request": "pullRequest",
    "plugin": "plugin",
    "oci": "oci",
}
_DEEPEST = 2
"""A matrix or merge at the top, and one inside it."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one entry gives: parameters, and the template that it brings for them."""

    params: list[Params]
    template: Template | None


@dataclass(frozen=True, slots=True)
class Generators:
    facts: Facts
    tags: Tags
    strict_globs: bool = False

    def made(self, raw: Object, *, depth: int = 0, outer: Params | None = None) -> Iterator[Made]:
        """`raw`: an entry as it is written. Its tags are filled with `outer`."""
        entry = _read(raw)
        kinds = [kind for kind in _KINDS if getattr(entry, kind) is not None]
        if not kinds:
            unknown = sorted(key for key in raw if key != "selector")
            named = f": {', '.join(unknown)}" if unknown else ""
            raise GenerationFailed(f"a generator of no kind that is known{named}")
        filled = _read(_filled(raw, outer, self.tags)) if outer else entry
        for kind in kinds:
            one = getattr(filled, kind)
            params = self._params(kind, one, depth)
            brought = getattr(getattr(entry, kind), "template", None)
            yield Made(selected(params, entry.selector), brought)

    def _params(self, kind: str, one: object, depth: int) -> list[Params]:
        match one:
            case ListGenerator():
                return list_elements.params_of(one, go=self.tags.go)
            case ClusterGenerator():
                return clusters.params_of(one, self.facts.clusters, self.tags)
            case GitGenerator():
                return git.params_of(one, self.facts, self.tags, strict_globs=self.strict_globs)
            case MatrixGenerator():
                return self._matrix(one, depth)
            case MergeGenerator():
                return self._merge(one, depth)
        raise GenerationFailed(
            f"the generator {UNSUPPORTED[kind]} is not supported here; list, clusters, git, matrix and merge are"
        )

    def _matrix(self, generator: MatrixGenerator, depth: int) -> list[Params]:
        self._may_nest("matrix", depth)
        if len(generator.generators) != 2:
            more = "more" if len(generator.generators) > 2 else "less"
            raise GenerationFailed(f"found {more} than two generators, Matrix support only two")
        left, right = generator.generators
        try:
            first = self._nested(left, depth, None)
        except GenerationFailed as error:
            raise error.within(
                "error failed to get params for first generator in matrix generator"
            ) from error
        once = None if combining.uses_tags(right) or not first else self._second(right, depth, first[0])
        return combining.matrix(
            first, lambda one: self._second(right, depth, one) if once is None else once, self.tags
        )

    def _second(self, raw: Object, depth: int, outer: Params) -> list[Params]:
        try:
            return self._nested(raw, depth, outer)
        except GenerationFailed as error:
            raise error.within("failed to get params for second generator in the matrix generator") from error

    def _merge(self, generator: MergeGenerator, depth: int) -> list[Params]:
        self._may_nest("merge", depth)
        count = len(generator.generators)
        if count < 2:
            raise GenerationFailed("found less than two generators, Merge requires two or more")
        several: list[Sequence[Params]] = []
        for at, raw in enumerate(generator.generators, 1):
            try:
                several.append(self._nested(raw, depth, None))
            except GenerationFailed as error:
                raise error.within(
                    f"error getting param sets from generators: error getting params from generator {at} of {count}"
                ) from error
        return combining.merge(several, generator.merge_keys, self.tags)

    def _nested(self, raw: Object, depth: int, outer: Params | None) -> list[Params]:
        try:
            found = list(self.made(raw, depth=depth + 1, outer=outer))
        except GenerationFailed as error:
            raise error.within("child generator returned an error on parameter generation") from error
        if len(found) > 1:
            raise GenerationFailed("found more than one generator in matrix.Generators")
        return found[0].params

    def _may_nest(self, kind: str, depth: int) -> None:
        if depth >= _DEEPEST:
            raise GenerationFailed(
                f"a {kind} generator inside two others; only one level of them may be nested"
            )


def _read(raw: object) -> Generator:
    try:
        return msgspec.convert(raw, Generator)
    except msgspec.ValidationError as error:
        raise GenerationFailed(f"a generator cannot be read: {error}") from error


def _filled(raw: Object, params: Params, tags: Tags) -> object:
    """`values` may use what only their own generator finds: what is missing there stays as it is written."""
    parts = dict(raw)
    held: dict[str, Object] = {}
    for kind in ("clusters", "git"):
        one = parts.get(kind)
        if isinstance(one, dict) and isinstance(one.get("values"), dict):
            held[kind] = {key: _known(text, params, tags) for key, text in one["values"].items()}
            parts[kind] = {key: value for key, value in one.items() if key != "values"}
    try:
        filled = tags.filled_all(parts, params)
    except GenerationFailed as error:
        raise GenerationFailed(f"failed to replace parameters in generator: {error.message}") from error
    assert isinstance(filled, dict)
    for kind, values in held.items():
        filled[kind]["values"] = values
    return filled


def _known(text: object, params: Params, tags: Tags) -> object:
    if not isinstance(text, str):
        return text
    try:
        return tags.strict().filled(text, params)
    except GenerationFailed as error:
        if any(sign in error.message for sign in ("map has no entry for key", "can't evaluate field")):
            return text
        raise

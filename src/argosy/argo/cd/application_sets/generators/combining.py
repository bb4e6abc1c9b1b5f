"""Parameters of several generators together: each of one with each of the other (`matrix`), or by keys that they share (`merge`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.domain.templates import formatting, go_json
from argosy.domain.templates.merging import merge_into
from argosy.domain.templates.values import copied

MOST = 20_000
"""Parameter sets of one generator; upstream has no limit, and no memory left beyond some of them."""


def matrix(first: Sequence[Params], second: Callable[[Params], Sequence[Params]], tags: Tags) -> list[Params]:
    """`second` is asked once for each of the first ones, which its own tags may use."""
    found: list[Params] = []
    for one in first:
        for other in second(one):
            found.append(_both(one, other) if tags.go else _texts(one, other))
            _limit(found)
    return found


def _both(first: Params, second: Params) -> Params:
    """The first wins. Nothing is shared, so that a template cannot change what another one sees."""
    made, over = copied(second), copied(first)
    assert isinstance(made, dict) and isinstance(over, dict)
    merge_into(made, over, overwrite=True)
    return made


def _texts(first: Params, second: Params) -> Params:
    found: Params = {key: formatting.text(value) for key, value in first.items()}
    for key, value in second.items():
        text = formatting.text(value)
        if found.get(key, text) != text:
            raise GenerationFailed(
                "failed to combine string maps with merging params for the matrix generator: "
                f"found duplicate key {key} with different value, a: {found[key]} ,b: {text}"
            )
        found[key] = text
    return found


def merge(several: Sequence[Sequence[Params]], keys: Sequence[str], tags: Tags) -> list[Params]:
    """Those of the first, each with what the later ones say for the same keys; what only later ones have is left out."""
    if not keys:
        raise GenerationFailed(
            "error getting param sets by merge key: no merge keys were specified, Merge requires at least one"
        )
    base, *others = [_by_keys(params, keys) for params in several]
    for other in others:
        for key, params in base.items():
            if key not in other:
                continue
            if tags.go:
                over = copied(other[key])
                assert isinstance(over, dict)
                merge_into(params, over, overwrite=True)
            else:
                params.update(other[key])
    return list(base.values())


def _by_keys(params: Sequence[Params], keys: Sequence[str]) -> dict[str, Params]:
    found: dict[str, Params] = {}
    for one in params:
        key = go_json.written({name: one.get(name) for name in keys})
        if key in found:
            raise GenerationFailed(
                "error getting param sets by merge key: the parameters from a generator were not unique by the given "
                f"mergeKeys, Merge requires all param sets to be unique. Duplicate key was {key}"
            )
        mine = copied(one)
        assert isinstance(mine, dict)
        found[key] = mine
    return found


def _limit(found: Sequence[Params]) -> None:
    if len(found) > MOST:
        raise GenerationFailed(f"a matrix of more than {MOST} parameter sets; narrow one of its generators")


def uses_tags(generator: object) -> bool:
    return "{{" in json.dumps(generator)

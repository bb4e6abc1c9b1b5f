"""The `values` of a generator: texts of their own, filled with what the generator found."""

from __future__ import annotations

from collections.abc import Mapping

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.domain.templates.values import StringMap


def with_values(params: Params, values: Mapping[str, str], tags: Tags) -> Params:
    """None of them sees another one: a chain of them could grow without end."""
    try:
        filled = {key: tags.filled(text, params) for key, text in values.items()}
    except GenerationFailed as error:
        raise GenerationFailed(
            "failed to replace templated string: failed to replace templated string with rendered values: "
            + error.message
        ) from error
    if not filled:
        return params
    if tags.go:
        return {**params, "values": StringMap(filled)}
    return {**params, **{f"values.{key}": text for key, text in filled.items()}}

"""The list generator: its elements are the parameters."""

from __future__ import annotations

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.tags import Params
from argosy.contracts.argo.application_set import ListGenerator
from argosy.domain.templates import go_yaml
from argosy.domain.templates.values import from_json, type_of

_MOST = 100_000


def params_of(generator: ListGenerator, *, go: bool) -> list[Params]:
    found = [_element(one, at, go=go) for at, one in enumerate(generator.elements)]
    if generator.elements_yaml:
        found += _from_yaml(generator.elements_yaml)
    if len(found) > _MOST:
        raise GenerationFailed(f"a list of more than {_MOST} elements")
    return found


def _element(element: Params, at: int, *, go: bool) -> Params:
    read = from_json(element)
    assert isinstance(read, dict)
    return read if go else _flat(read, at)


def _flat(element: Params, at: int) -> Params:
    found: Params = {}
    for key, value in element.items():
        if key == "values":
            if not isinstance(value, dict):
                raise GenerationFailed("error parsing values map")
            found |= {f"values.{name}": _text(inner, f"values.{name}", at) for name, inner in value.items()}
        else:
            found[key] = _text(value, key, at)
    return found


def _text(value: object, key: str, at: int) -> str:
    if not isinstance(value, str):
        kind = "null" if value is None else type_of(value)
        raise GenerationFailed(
            f"error parsing value as string: elements[{at}].{key} is {kind}; write it in quotes, or set goTemplate: true"
        )
    return value


def _from_yaml(text: str) -> list[Params]:
    try:
        found = go_yaml.read(text)
    except go_yaml.BadYaml as error:
        raise GenerationFailed(f"error unmarshling decoded ElementsYaml {error}") from error
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise GenerationFailed("error unmarshling decoded ElementsYaml: it must be a list of maps")
    return found

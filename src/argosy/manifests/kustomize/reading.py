"""Reads kustomization files, as strictly as upstream: an unknown field is an error, a number where a text belongs too.

Old fields are moved to those that took their place (`bases`, `imageTags`, `env`, `helmChartInflationGenerator`). Errors have upstream's words, because
people search for them, with the file and the place in front.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from argosy.manifests.kustomize.documents import Malformed, old_yaml
from argosy.manifests.kustomize.kustomization import (
    COMPONENT,
    COMPONENT_VERSION,
    KIND,
    VERSION,
    ConfigMapArgs,
    HelmChart,
    HelmGlobals,
    Kustomization,
    OldHelmChart,
)
from argosy.manifests.kustomize.scalars import text_of
from argosy.manifests.tree import SourceError

T = TypeVar("T")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*)`")
_WRONG = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<found>[^`]*)`")
_JSON_KINDS = {
    "int": "number",
    "float": "number",
    "str": "string",
    "bool": "bool",
    "array": "array",
    "object": "object",
}
_GO_TYPES = {
    "str": "string",
    "int": "int64",
    "bool": "bool",
    "array": "[]",
    "object": "map",
    "float": "float64",
}


@lru_cache(maxsize=256)
def kustomization(text: str) -> Kustomization:
    """With the old fields moved; kept, so nobody changes it. Raises `SourceError` without the file's name."""
    try:
        value = old_yaml(text)
    except Malformed as error:
        raise SourceError(f"invalid Kustomization: {error}") from error
    if value is None:
        value = {}
    if not isinstance(value, dict):
        kind = "array" if isinstance(value, list) else "string"
        raise SourceError(
            f"invalid Kustomization: json: cannot unmarshal {kind} into Go value of type types.Kustomization"
        )
    try:
        read = converted(value, Kustomization)
    except SourceError as error:
        raise SourceError(f"invalid Kustomization: {error}") from error
    if not any(_says_something(key, one) for key, one in value.items()):
        raise SourceError("kustomization.yaml is empty")
    return _checked(fixed(read))


def _says_something(key: str, value: Any) -> bool:
    """An empty list counts, unless its field is an old one."""
    if key in {"kind", "apiVersion"}:
        return False
    old = key in {"bases", "imageTags", "helmChartInflationGenerator"}
    return bool(value) or (isinstance(value, list | dict) and not old)


def converted(value: Any, to: type[T], *, lenient: bool = False) -> T:
    """`lenient`: as the configuration of a transformer is read. Unknown fields are left out, and numbers become texts where texts belong."""
    if lenient or _has_nulls(value):
        value = _shaped(value, to, lenient=lenient)
    try:
        return msgspec.convert(value, to)
    except msgspec.ValidationError:
        value = _shaped(value, to, lenient=lenient)
    try:
        return msgspec.convert(value, to)
    except msgspec.ValidationError as error:
        raise SourceError(_told(str(error), to.__name__)) from error


def _has_nulls(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_nulls, value.values()))
    return any(map(_has_nulls, value)) if isinstance(value, list) else value is None


def _shaped(value: Any, to: Any, *, lenient: bool) -> Any:
    """With keys in the spelling of the type (Go takes `Resources` for `resources`), and nulls as Go takes them: a field stays as it is, a text
    is empty."""
    if isinstance(value, dict) and isinstance(to, type) and issubclass(to, msgspec.Struct):
        return _shaped_struct(value, to, lenient=lenient)
    inner = [one for one in get_args(to) if one is not type(None)]
    if isinstance(value, list) and inner:
        return [_shaped(one, inner[0], lenient=lenient) for one in value]
    if isinstance(value, dict) and get_origin(to) is dict:
        return {key: _shaped(one, inner[1], lenient=lenient) for key, one in value.items()}
    if isinstance(value, dict) and inner:
        return _shaped(value, inner[0], lenient=lenient)
    if to is str or str in inner:
        if value is None:
            return ""
        return text_of(value) if lenient and not isinstance(value, dict | list) else value
    return {} if value is None and isinstance(to, type) and issubclass(to, msgspec.Struct) else value


def _shaped_struct(value: dict[str, Any], to: type[msgspec.Struct], *, lenient: bool) -> dict[str, Any]:
    fields = {one.encode_name.lower(): one for one in msgspec.structs.fields(to)}
    shaped: dict[str, Any] = {}
    for key, item in value.items():
        field = fields.get(str(key).lower())
        if field is None:
            if not lenient:
                shaped[key] = item
        elif item is not None:
            shaped[field.encode_name] = _shaped(item, field.type, lenient=lenient)
    return shaped


def _told(error: str, kind: str) -> str:
    says, _, path = error.partition(" - at `")
    where = re.sub(r"\[(\d+)\]", r".\1", path.rstrip("`").removeprefix("$")).replace("[...]", "")
    if unknown := _UNKNOWN.match(says):
        place = f" (in {where.lstrip('.')})" if where else ""
        return f'json: unknown field "{unknown["field"]}"{place}'
    if wrong := _WRONG.match(says):
        wanted = wrong["wanted"].split(" | ")[0]
        return (
            f"json: cannot unmarshal {_JSON_KINDS.get(wrong['found'], wrong['found'])} into Go struct field "
            f"{kind}{where} of type {_GO_TYPES.get(wanted, wanted)}"
        )
    return f"json: {says} in {kind}{where}"


def fixed(read: Kustomization) -> Kustomization:
    kind = read.kind or KIND
    charts, globals_ = _helm(read.helm_chart_inflation_generator)
    return msgspec.structs.replace(
        read,
        kind=kind,
        api_version=read.api_version or (COMPONENT_VERSION if kind == COMPONENT else VERSION),
        resources=[*read.resources, *read.bases],
        bases=[],
        images=[*read.images, *read.image_tags],
        image_tags=[],
        config_map_generator=[_with_envs(one) for one in read.config_map_generator],
        secret_generator=[_with_envs(one) for one in read.secret_generator],
        helm_globals=read.helm_globals or globals_,
        helm_charts=[*read.helm_charts, *charts],
        helm_chart_inflation_generator=[],
    )


G = TypeVar("G", bound=ConfigMapArgs)


def _with_envs(one: G) -> G:
    return msgspec.structs.replace(one, envs=[*one.envs, one.env], env="") if one.env else one


def _helm(old: list[OldHelmChart]) -> tuple[list[HelmChart], HelmGlobals | None]:
    charts = [
        HelmChart(
            name=one.chart_name,
            version=one.chart_version,
            repo=one.chart_repo_url,
            values_file=one.values,
            values_inline=one.values_local,
            values_merge=one.values_merge,
            release_name=one.release_name,
        )
        for one in old
    ]
    homes = HelmGlobals(
        chart_home=next((one.chart_home for one in reversed(old) if one.chart_home), ""),
        config_home=next((one.helm_home for one in reversed(old) if one.helm_home), ""),
    )
    return charts, homes if homes != HelmGlobals() else None


def _checked(read: Kustomization) -> Kustomization:
    if read.kind not in {KIND, COMPONENT}:
        raise SourceError(f"kind should be {KIND} or {COMPONENT}")
    wanted = COMPONENT_VERSION if read.kind == COMPONENT else VERSION
    if read.api_version != wanted:
        raise SourceError(f"apiVersion for {read.kind} should be {wanted}")
    return read

"""`$(NAME)` in texts: the old `vars`, each the value of one field of one resource."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from argosy.manifests.kustomize.documents import copied
from argosy.manifests.kustomize.field_paths import Nothing, look_up
from argosy.manifests.kustomize.identity import DEFAULT, NO_NAMESPACE, Gvk, Id
from argosy.manifests.kustomize.kustomization import ObjectReference, Var
from argosy.manifests.kustomize.paths import FieldSpec, change_field, split_smartly
from argosy.manifests.kustomize.resource import ClusterWide, Resource
from argosy.manifests.kustomize.scalars import Odd, is_null, is_scalar, text_of
from argosy.manifests.tree import SourceError

_IN_BRACKETS = re.compile(r"(.*)\[(\d+)\]")


def merge_vars(
    known: dict[str, Var], more: Iterable[Var], resources: Sequence[Resource], wide: ClusterWide
) -> None:
    """A var belongs to the resource that its kustomization sees, whatever it is called later."""
    more = list(more)
    for one in more:
        gvk = _gvk(one.objref)
        cluster_wide = (gvk.api_version, gvk.kind) in wide
        scope = NO_NAMESPACE if cluster_wide else one.objref.namespace or DEFAULT
        wanted = Id(gvk, one.objref.name, one.objref.namespace, scope)
        anywhere = not one.objref.namespace and not cluster_wide
        found = [
            resource
            for resource in resources
            if any(_is(known_id, wanted, anywhere) for known_id in resource.any_id())
        ]
        if len(found) > 1:
            raise SourceError(f"found {len(found)} resId matches for var {one.name} (unable to disambiguate)")
        if found:
            found[0].variables.append(one.name)
    take_over(known, more)


def take_over(known: dict[str, Var], more: Iterable[Var]) -> None:
    for one in more:
        if one.name in known:
            raise SourceError(f"var '{one.name}' already encountered")
        known[one.name] = one


def _is(known: Id, wanted: Id, anywhere: bool) -> bool:
    return known.gvk == wanted.gvk and known.name == wanted.name and (anywhere or known.scope == wanted.scope)


def _gvk(reference: ObjectReference) -> Gvk:
    if not reference.api_version:
        return Gvk(reference.group, reference.version, reference.kind)
    parts = reference.api_version.split("/")
    if len(parts) == 2:
        return Gvk(parts[0], parts[1], reference.kind)
    version = parts[0] if len(parts) == 1 else reference.version
    return Gvk(reference.group, version, reference.kind)


def resolve_vars(resources: Sequence[Resource], known: Mapping[str, Var], specs: Iterable[FieldSpec]) -> None:
    if not known:
        return
    values = {name: _value(resources, known[name]) for name in sorted(known)}
    change = _expanding(values)
    for one in resources:
        for spec in specs:
            change_field(one, spec, change)


def _value(resources: Sequence[Resource], var: Var) -> Any:
    path = var.fieldref.field_path or "metadata.name"
    for one in resources:
        if var.name in one.variables:
            value = look_up(one.obj, _parts(path))
            if value is Nothing:
                raise SourceError(
                    f"field specified in var '{var.name}' not found in corresponding resource: {path} of {one.id}"
                )
            return value.value if type(value) is Odd and value.value is not None else value
    raise SourceError(f"var '{var.name}' cannot be mapped to a field in the set of known resources")


def _parts(path: str) -> list[str]:
    parts: list[str] = []
    for part in split_smartly(path):
        found = _IN_BRACKETS.fullmatch(part)
        parts += [one for one in found.groups() if one] if found else [part]
    return parts


def _expanding(values: Mapping[str, Any]) -> Callable[[Any], Any]:
    def value_of(name: str) -> Any:
        found = values.get(name, Nothing)
        return f"$({name})" if found is Nothing or is_null(found) or not is_scalar(found) else copied(found)

    def text(old: str) -> Any:
        return expanded(old, value_of)

    def change(found: Any) -> Any:
        if isinstance(found, dict):
            for key, one in found.items():
                if isinstance(one, str):
                    found[key] = text(one)
            return found
        if isinstance(found, list):
            if not all(isinstance(one, str) for one in found):
                raise SourceError("invalid value type expect a string")
            return [text(one) for one in found]
        return text(found) if isinstance(found, str) else found

    return change


def expanded(text: str, value_of: Callable[[str], Any]) -> Any:
    """`$$` is a dollar. A text that is one reference becomes the value itself, be it a number."""
    out: list[str] = []
    at = 0
    while at < len(text):
        dollar = text.find("$", at)
        if dollar < 0 or dollar + 1 == len(text):
            break
        out.append(text[at:dollar])
        behind = text[dollar + 1]
        end = text.find(")", dollar + 2) if behind == "(" else -1
        if end >= 0:
            value = value_of(text[dollar + 2 : end])
            if dollar == 0 and end + 1 == len(text):
                return str(value) if isinstance(value, str) else value
            out.append(text_of(value))
            at = end + 1
        else:
            out.append("$" if behind == "$" else f"${behind}")
            at = dollar + 2
    return "".join(out) + text[at:]

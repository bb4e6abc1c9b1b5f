"""The template patch: a piece of an Application over the one that the template made, merged as Kubernetes merges what it is not told otherwise."""

from __future__ import annotations

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.domain.templates import go_yaml
from argosy.kube.objects import Object

_FINALIZERS = "finalizers"
_DEEPEST = 64


def patched(app: Object, text: str) -> Object:
    """The project stays: a patch out of parameters must not lead into another one."""
    try:
        patch = whole_numbers(go_yaml.read(text))
    except go_yaml.BadYaml as error:
        raise _bad(f'invalid templatePatch "{text}": {error}') from error
    if patch is None:
        return app
    if not isinstance(patch, dict):
        raise _bad(f'invalid templatePatch "{text}": it must be a map')
    found = _merged(app, patch, 0)
    spec = found.get("spec")
    if not isinstance(spec, dict):
        raise _bad("error while applying templatePatch: it leaves no spec")
    found["spec"] = {**spec, "project": (app.get("spec") or {}).get("project", "")}
    return found


def _merged(target: Object, patch: Object, depth: int) -> Object:
    if depth > _DEEPEST:
        raise _bad(f"error while applying templatePatch: it is nested deeper than {_DEEPEST} levels")
    order = patch.get("$patch")
    rest = {key: value for key, value in patch.items() if not key.startswith("$")}
    if order == "replace":
        return rest
    if order == "delete":
        return {}
    if order not in {None, "merge"}:
        raise _bad(f"error while applying templatePatch: unknown $patch: {order}")
    found = dict(target)
    for key, value in rest.items():
        there = found.get(key)
        if value is None:
            found.pop(key, None)
        elif isinstance(value, dict):
            found[key] = _merged(there if isinstance(there, dict) else {}, value, depth + 1)
        elif key == _FINALIZERS and isinstance(value, list) and isinstance(there, list):
            found[key] = [*value, *(one for one in there if one not in value)]
        else:
            found[key] = value
    return found


def whole_numbers(value: object) -> object:
    """YAML here has only floats; an object wants `3`, not `3.0`."""
    if isinstance(value, dict):
        return {key: whole_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [whole_numbers(inner) for inner in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _bad(why: str) -> GenerationFailed:
    return GenerationFailed(why, "RenderTemplateParamsError")

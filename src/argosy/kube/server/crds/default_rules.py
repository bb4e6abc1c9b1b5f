"""Whether the defaults of a schema are values that it allows itself."""

from __future__ import annotations

from argosy.kube.errors import ApiError, Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds import embedded, mistakes
from argosy.kube.server.crds.cel.rules import rules_of
from argosy.kube.server.crds.checking import Check
from argosy.kube.server.crds.fitting import fitted_part
from argosy.kube.server.crds.mistakes import Wrong
from argosy.kube.server.crds.shapes import META, Shape
from argosy.kube.server.rules.wording import invalid


def check(schema: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    _walk(schema, path, causes, root=True)
    return causes


def _walk(schema: Object, path: str, causes: list[Cause], *, root: bool = False, meta: bool = False) -> None:
    """Defaults are forbidden where the names of fields are not known, so those are not looked at."""
    if schema.get("default") is not None:
        causes += _check_one(schema, f"{path}.default", root=root, meta=meta)
    whole = root or bool(schema.get("x-kubernetes-embedded-resource"))
    if isinstance(schema.get("items"), dict):
        _walk(schema["items"], f"{path}.items", causes, meta=meta)
    for name, one in (schema.get("properties") or {}).items():
        inside = (meta and not whole) or (whole and name in META)
        _walk(one, f"{path}.properties[{name}]", causes, meta=inside)


def _check_one(schema: Object, path: str, *, root: bool, meta: bool) -> list[Cause]:
    """Metadata is not told by the schema alone, so what it does not say there is not unknown."""
    value, shape = schema["default"], Shape(schema, root=root)
    try:
        pruned, unknown = fitted_part(value, shape)
    except ApiError as error:
        return [invalid(path, value, error.message)]
    causes = [invalid(path, value, "must not have unknown fields")] if unknown and not meta else []
    if told := embedded.check_part(pruned, shape, path):
        return causes + told
    wrong: list[Wrong] = []
    Check(schema).run(value, "", wrong)
    rules = rules_of(schema, root=root)
    if wrong or rules is None:
        return causes + mistakes.causes(wrong, path)
    return causes + (rules.judge(value, value, path=path).causes or rules.judge(value, path=path).causes)

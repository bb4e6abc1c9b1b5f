"""Strategic merge patches as kustomize does them (kyaml's merge), which is not quite how a cluster does them.

Patch and object are walked side by side. Lists whose schema has merge keys are merged element by element, new elements come first; all others are replaced. Null deletes,
and so does `$patch: delete`; `$patch: replace` takes the patch's side. Upstream's oddities are kept, because manifests depend on them.
The object is changed in place; so is the patch, from which directives are taken out.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

from argosy.kube.objects import Object
from argosy.manifests.kustomize.list_merge import Elements, merge_elements
from argosy.manifests.kustomize.merge_keys import Schema, Schemas
from argosy.manifests.kustomize.paths import kind_of
from argosy.manifests.kustomize.scalars import EMPTY, is_null, is_scalar, text_of, written
from argosy.manifests.tree import SourceError

Directive: TypeAlias = Literal["delete", "replace", "merge"]


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()


class Merge:
    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas

    def merged(self, obj: Object, patch: Object) -> Object | None:
        """None: the patch deletes the object."""
        result = self._walk(obj, patch, None, ())
        return result if isinstance(result, dict) and result else None

    def _walk(self, dest: Any, patch: Any, schema: Schema | None, path: tuple[str, ...]) -> Any:
        schema = schema or self._schema_of(dest) or self._schema_of(patch)
        sides = [one for one in (dest, patch) if one is not MISSING and not is_null(one)]
        if not sides:
            return self._walk_nothing(dest, patch)
        kind = kind_of(sides[0])
        for one in sides[1:]:
            if kind_of(one) != kind:
                raise SourceError(
                    f"wrong node kind: expected {kind} but got {kind_of(one)} at {'.'.join(path)}"
                )
        if kind == "MappingNode":
            return self._walk_mapping(dest, patch, schema, path)
        if kind == "SequenceNode":
            return self._walk_list(dest, patch, schema, path)
        return dest if patch is MISSING else patch

    def _schema_of(self, value: Any) -> Schema | None:
        """Also in the middle of a custom resource: whatever says its kind has that kind's schema."""
        if not isinstance(value, dict) or "kind" not in value or "apiVersion" not in value:
            return None
        return self.schemas.of(text_of(value["apiVersion"]), text_of(value["kind"]))

    @staticmethod
    def _walk_nothing(dest: Any, patch: Any) -> Any:
        """A null that is written out stays, one that is not goes."""
        if patch is MISSING and dest is not MISSING and text_of(dest):
            return dest
        return MISSING

    def _walk_mapping(self, dest: Any, patch: Any, schema: Schema | None, path: tuple[str, ...]) -> Any:
        if dest is MISSING or is_null(dest):
            if _directive_of_mapping(patch, strict=False) == "delete":
                return MISSING
            dest = patch
        elif patch is not MISSING:
            if is_null(patch):
                return MISSING
            directive = _directive_of_mapping(patch)
            if directive == "delete":
                return MISSING
            if directive == "replace":
                dest = patch
        names = {*dest, *(patch if isinstance(patch, dict) else ())}
        for name in sorted(names):
            below = schema.field(name) if schema else None
            value = self._walk(dest.get(name, MISSING), _get(patch, name), below, (*path, str(name)))
            _set(dest, name, value, kept=value is dest.get(name, MISSING))
        return dest

    def _walk_list(self, dest: Any, patch: Any, schema: Schema | None, path: tuple[str, ...]) -> Any:
        keys = schema.keys if schema else None
        if keys is None:
            return dest if patch is MISSING else MISSING if is_null(patch) else patch
        if dest is MISSING or is_null(dest):
            dest = patch
        elif patch is not MISSING:
            if is_null(patch):
                return MISSING
            directive = _directive_of_list(patch)
            if directive == "delete":
                return MISSING
            if directive == "replace":
                dest = patch
        items = schema.items() if schema else None

        def walk(one: Any, other: Any) -> Any:
            found = self._walk(
                MISSING if one is None else one, MISSING if other is None else other, items, path
            )
            return None if found is MISSING else found

        return merge_elements(Elements(dest, None if patch is MISSING else patch, keys), walk)


def _get(patch: Any, name: str) -> Any:
    return patch.get(name, MISSING) if isinstance(patch, dict) else MISSING


def _set(dest: Object, name: str, value: Any, *, kept: bool) -> None:
    if value is MISSING or (is_null(value) and not kept):
        dest.pop(name, None)
    elif name in dest and is_scalar(dest[name]) and is_scalar(value):
        dest[name] = written(dest[name], value)
    else:
        dest[name] = value


def _directive_of_mapping(patch: Any, *, strict: bool = True) -> Directive:
    if not isinstance(patch, dict) or "$patch" not in patch:
        return "merge"
    found = _directive(text_of(patch["$patch"]), strict=strict)
    if found is None:
        return "merge"
    del patch["$patch"]
    return found


def _directive(text: str, *, strict: bool = True) -> Directive | None:
    if text in {"delete", "replace", "merge"}:
        return text  # type: ignore[return-value] # mypy does not narrow text by a set
    if strict:
        raise SourceError(f"unknown patch strategy '{text}'")
    return None


def _directive_of_list(patch: list[Any]) -> Directive:
    """An element that says nothing but `$patch` speaks for the whole list."""
    first = next((one for one in patch if isinstance(one, dict) and "$patch" in one), None)
    if first is None or len(first) > 1:
        return "merge"
    text = text_of(first["$patch"])
    found = _directive(text)
    patch[:] = [
        one
        for one in patch
        if not (
            is_null(one) or one == {} or (isinstance(one, dict) and text_of(one.get("$patch", EMPTY)) == text)
        )
    ]
    return found or "merge"

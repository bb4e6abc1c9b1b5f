"""A custom object as its schema allows it: what the schema does not know is gone, and so are nulls that nobody may set.

What `decoding.typed` does for built-in types, for the objects of a CRD. Every body goes through `fitted`, and so does every
object that was stored before its schema changed.
"""

from __future__ import annotations

from typing import Any

from argosy.kube.errors import ApiError, bad_request
from argosy.kube.objects import Object
from argosy.kube.schema import struct
from argosy.kube.server.crds.embedded import coerced
from argosy.kube.server.crds.shapes import META, Shape
from argosy.kube.server.decoding import Decoded, decode
from argosy.kube.server.patches.depth import bounded

_METADATA = "meta.v1.ObjectMeta"
_MOST = 1 << 63


@bounded
def fitted(value: object, shape: Shape, *, fill: bool = True, lenient: bool = False) -> Decoded:
    """A new object. `lenient`: metadata that cannot be read is dropped field by field instead of refused, for what is stored."""
    if type(value) is not dict:
        raise bad_request("an object is expected")
    _check_identity(value)
    unknown: list[str] = []
    fit = _Fit(lenient)
    made = fit.root(value, shape)
    if "metadata" in value:
        made["metadata"], unknown = metadata(value["metadata"], "metadata", fill=fill, lenient=lenient)
    return Decoded(made, unknown + sorted(fit.unknown) + sorted(fit.unknown_metadata))


def fitted_part(value: Any, shape: Shape) -> tuple[Any, list[str]]:
    """A value inside an object (a default); and what it should not have had."""
    fit = _Fit(lenient=False)
    made = fit.part(value, shape)
    return made, fit.unknown


def metadata(
    value: object, path: str, *, fill: bool = True, lenient: bool = False
) -> tuple[Object, list[str]]:
    """Typed as every object's, whatever holds it."""
    if value is None:
        return {}, []
    try:
        decoded = decode(value, struct(_METADATA), fill=fill)
    except ApiError:
        if not lenient or not isinstance(value, dict):
            raise
        decoded = _salvaged(value)
    return decoded.obj, [f"{path}.{one}" for one in decoded.unknown]


def _salvaged(value: Object) -> Decoded:
    made: Object = {}
    for name, inner in value.items():
        try:
            made |= decode({name: inner}, struct(_METADATA)).obj
        except ApiError:
            continue
    return Decoded(made, [])


def _check_identity(value: Object) -> None:
    for name in ("kind", "apiVersion"):
        said = value.get(name)
        if said is not None and type(said) is not str:
            raise bad_request(
                f".{name} accessor error: {said} is of the type {_go_type(said)}, expected string"
            )


def _go_type(value: object) -> str:
    match value:
        case bool():
            return "bool"
        case int():
            return "int64"
        case float():
            return "float64"
        case list():
            return "[]interface {}"
        case _:
            return "map[string]interface {}"


class _Fit:
    """One walk, and what it dropped."""

    def __init__(self, lenient: bool) -> None:
        self.unknown: list[str] = []
        self.unknown_metadata: list[str] = []
        self._lenient = lenient

    def root(self, value: Object, shape: Shape) -> Object:
        return self._object(value, shape, "", embedded=True)

    def part(self, value: Any, shape: Shape) -> Any:
        return self._any(value, shape, "")

    def _any(self, value: Any, shape: Shape | None, path: str) -> Any:
        if type(value) is dict:
            if shape is None:
                self.unknown += [f"{path}.{name}" for name in value]
                return {}
            if shape.plain:
                return value
            made = self._object(value, shape, path, embedded=shape.embedded)
            if shape.embedded:
                self.unknown_metadata += coerced(made, path, lenient=self._lenient)
            return made
        if type(value) is list:
            return self._list(value, shape, path)
        return value

    def _list(self, value: list[Any], shape: Shape | None, path: str) -> list[Any]:
        items = shape.items if shape is not None else None
        if items is None and shape is not None and shape.open:
            return value
        return [
            self._any(one, items, f"{path}[{at}]")
            if type(one) is dict or type(one) is list
            else _number(one)
            if type(one) is int
            else one
            for at, one in enumerate(value)
        ]

    def _object(self, value: Object, shape: Shape, path: str, *, embedded: bool) -> Object:
        properties, made = shape.properties, {}
        for name, inner in value.items():
            child = properties[name]
            if child is None:
                if embedded and name in META:
                    made[name] = inner
                    continue
                if not shape.with_rest:
                    if shape.open:
                        made[name] = inner
                    else:
                        self.unknown.append(f"{path}.{name}" if path else name)
                    continue
                child = shape.rest
            if inner is None:
                if child is None or child.keeps_null:
                    made[name] = None
            elif (type(inner) is dict or type(inner) is list) and not (embedded and name in META):
                made[name] = self._any(inner, child, f"{path}.{name}" if path else name)
            elif type(inner) is int:
                made[name] = _number(inner)
            else:
                made[name] = inner
        return made


def _number(value: int) -> int | float:
    """Go reads what does not fit 64 bits as a floating-point number."""
    if -_MOST <= value < _MOST:
        return value
    try:
        return float(value)
    except OverflowError:
        raise bad_request(
            f"json: cannot unmarshal number {str(value)[:40]} into Go value of type float64"
        ) from None

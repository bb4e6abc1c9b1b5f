"""What is wrong with one value, in the words of upstream's validator: `checking` finds it, `causes` makes of it what the API tells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from argosy.kube.errors import Cause
from argosy.kube.server.rules import wording
from argosy.kube.server.rules.wording import Printed
from argosy.kube.server.tables.custom import go_float


class Wrong(NamedTuple):
    """Upstream names the field in most mistakes, and in some (`path` None) only in the text."""

    reason: str
    message: str
    path: str | None


def causes(wrong: Sequence[Wrong], prefix: str = "") -> list[Cause]:
    return [Cause(one.reason, one.message, _field(one.path, prefix)) for one in wrong]


def _field(path: str | None, prefix: str) -> str:
    if path is None:
        return prefix or "<nil>"
    inner = path.removeprefix(".")
    return f"{prefix}.{inner}" if prefix and inner else prefix or inner or "<nil>"


def type_wrong(path: str, wanted: str, found: str) -> Wrong:
    told = f"{path} in body must be of type {wanted}: {wording.quoted(found)}"
    return from_cause(wording.type_invalid(path, found, told))


def invalid(path: str, value: object, told: str) -> Wrong:
    return from_cause(wording.invalid(path, printed(value), f"{path} in body {told}"))


def not_positive(path: str, factor: float) -> Wrong:
    told = f"factor MultipleOf declared for {path} must be positive: {shown(factor)}"
    return from_cause(wording.invalid(path, printed(factor), told))


def printed(value: object) -> object:
    return Printed(go_float(value)) if isinstance(value, float) else value


def composed(message: str) -> Wrong:
    return Wrong("FieldValueInvalid", f'Invalid value: "": {message}', None)


def from_cause(cause: Cause) -> Wrong:
    return Wrong(cause.reason, cause.message, cause.field)


def shown(number: float) -> str:
    return str(number) if type(number) is int else go_float(number)

"""Names that Kubernetes accepts, out of texts that it does not: what Argo CD adds to Sprig. And the few functions that fit nowhere."""

from __future__ import annotations

import re

from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.sprig.strings import lower
from argosy.domain.templates.values import type_of

_NOT_IN_NAMES = re.compile(r"[^-a-z0-9.]")
_NOT_IN_SLUGS = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME, _SLUG = 253, 50


def normalize(name: str) -> str:
    """Small letters, digits, `-` and `.`; at most 253 of them."""
    return _NOT_IN_NAMES.sub("-", lower(name))[:_LONGEST_NAME].strip("-.")


def slugify(*args: object) -> str:
    """`slugify 50 true NAME`: at most so long, and cut between words."""
    longest, smart = _SLUG, True
    if not args:
        return ""
    if len(args) > 1:
        if type(args[0]) is not int:
            raise _not("int", args[0])
        longest = args[0]
    if len(args) > 2:
        if not isinstance(args[1], bool):
            raise _not("bool", args[1])
        smart = args[1]
    if not isinstance(args[-1], str):
        raise _not("string", args[-1])
    return _slug(normalize(args[-1]), longest, smart=smart)


def _not(wanted: str, value: object) -> FunctionError:
    told = "nil" if value is None else type_of(value)
    return FunctionError(f"interface conversion: interface {{}} is {told}, not {wanted}")


def _slug(name: str, longest: int, *, smart: bool) -> str:
    if not smart and len(name) >= longest:
        if longest < 0:
            raise FunctionError(f"runtime error: slice bounds out of range [:{longest}]")
        name = name[:longest]
    slug = re.sub("-+", "-", _NOT_IN_SLUGS.sub("-", name)).strip("-_")
    if longest <= 0 or not smart or len(slug) <= longest:
        return slug
    dash = slug.rfind("-", 0, longest + 1)
    return slug[:dash] if dash >= 0 else slug[:longest]


def fail(message: str) -> str:
    raise FunctionError(message)


def hello() -> str:
    return "Hello!"


FUNCTIONS: dict[str, Implementation] = {
    "fail": fail,
    "hello": hello,
    "normalize": normalize,
    "slugify": slugify,
}

"""Leaves out what the server does not know, for objects that ask for no validation (`Validate=false`).

A server-side apply refuses unknown fields whatever was asked; a client-side one dropped them. The refusal names each, so they can be
dropped here.
"""

from __future__ import annotations

import copy
import re

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object

_NAMED = re.compile(r"(\.\S.*?): field not declared in schema")
_STEP = re.compile(r'\.([^.\[]+)|\[(\d+)\]|\[((?:[\w./-]+=(?:"[^"]*"|[^,\]]+),?)+)\]')
_KEY = re.compile(r'([\w./-]+)=("[^"]*"|[^,\]]+)')


def without_unknown(obj: Object, error: ApiError) -> Object | None:
    """The object without the fields that the error names; None when it is about something else."""
    named = _NAMED.findall(error.message)
    if not named:
        return None
    left = copy.deepcopy(obj)
    for path in named:
        _drop(left, path)
    return left


def _drop(obj: object, path: str) -> None:
    steps = list(_STEP.finditer(path))
    for step in steps[:-1]:
        obj = _into(obj, step)
    if isinstance(obj, dict) and steps:
        obj.pop(steps[-1].group(1), None)


def _into(obj: object, step: re.Match[str]) -> object:
    name, number, keys = step.groups()
    if isinstance(obj, dict) and name is not None:
        return obj.get(name)
    if isinstance(obj, list) and number is not None:
        return obj[int(number)] if int(number) < len(obj) else None
    if isinstance(obj, list) and keys:
        wanted = [(key, value.strip('"')) for key, value in _KEY.findall(keys)]
        return next((one for one in obj if _matches(one, wanted)), None)
    return None


def _matches(obj: object, wanted: list[tuple[str, str]]) -> bool:
    return isinstance(obj, dict) and all(str(obj.get(key)) == value for key, value in wanted)

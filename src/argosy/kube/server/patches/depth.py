"""Bad input stays bad input: what is nested deeper than our walks can go is refused, as upstream refuses it deeper still."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from argosy.kube.errors import bad_request

P = ParamSpec("P")
T = TypeVar("T")


def bounded(walk: Callable[P, T]) -> Callable[P, T]:
    """Of functions that go down a value by calling themselves."""

    @wraps(walk)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return walk(*args, **kwargs)
        except RecursionError:
            raise bad_request("exceeded max depth") from None

    return guarded

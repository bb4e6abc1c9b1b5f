"""What Kubernetes adds to the language: functions of lists, of addresses of the net and the web, of quantities and versions.

The library knows no types of our own, so a quantity or an address is a map that says what it is; two that are equal are written
alike. What takes or gives an optional value cannot be added at all (`MISSING`), nor can more be taught to functions that are there:
rules that use such a thing are kept, and told to be not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from argosy.kube.server.crds.cel import amounts, lists, net, patterns, urls

MISSING: Final = re.compile(
    r"undeclared reference to '(format|validate)'|transformMap"
    r"|no matching overload for '(string' applied to '\(map\(|(last)?[iI]ndexOf' applied to '\((list|dyn))"
)
"""In a complaint of the compiler, or in the expression: what upstream has and this has not."""
_MODULES: Final = (amounts, lists, net, patterns, urls)


def declared(cel: Any) -> list[object]:
    """For an environment. `.map string -> bool` is a method of a map that takes a text."""
    types = {
        "string": cel.Type.STRING,
        "bool": cel.Type.BOOL,
        "int": cel.Type.INT,
        "double": cel.Type.DOUBLE,
        "any": cel.Type.DYN,
        "list": cel.Type.List(cel.Type.DYN),
        "strings": cel.Type.List(cel.Type.STRING),
        "map": cel.Type.Map(cel.Type.STRING, cel.Type.DYN),
    }
    by_name: dict[str, list[object]] = {}
    for name, form, function in _all():
        given, _, result = form.partition(" -> ")
        method, words = given.startswith("."), given.removeprefix(".").split()
        made = cel.Overload(
            f"argosy_{name}_{'_'.join(words)}_{method}",
            types[result],
            [types[one] for one in words],
            is_member=method,
            impl=function,
        )
        by_name.setdefault(name, []).append(made)
    return [cel.FunctionDecl(name, overloads) for name, overloads in by_name.items()]


def _all() -> Iterable[tuple[str, str, Callable[..., object]]]:
    for module in _MODULES:
        for (name, form), function in module.FUNCTIONS.items():
            yield name, form, function

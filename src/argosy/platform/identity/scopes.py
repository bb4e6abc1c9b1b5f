"""The scopes a key can be limited to: what the operations of all contracts ask for, so a new one appears by itself."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from argosy import contracts
from argosy.contracts.identity import PASSWORD_SCOPE, ScopeInfo
from argosy.kit.operations import operations


@cache
def every_scope() -> tuple[ScopeInfo, ...]:
    """`users` first, which covers the others of that noun; then `users:read` and what it allows."""
    summaries: dict[str, list[str]] = {}
    for module in pkgutil.iter_modules(contracts.__path__, f"{contracts.__name__}."):
        contract = importlib.import_module(module.name)
        for scope, allows in getattr(contract, "SCOPES", {}).items():  # of what is no operation
            summaries.setdefault(scope, []).append(allows)
        for value in vars(contract).values():
            if isinstance(value, type) and value.__module__.startswith(module.name):
                for operation in operations(value).values():
                    if operation.scope and operation.scope != PASSWORD_SCOPE:
                        summaries.setdefault(operation.scope, []).append(operation.summary)
    nouns = {scope.partition(":")[0] for scope in summaries}
    found = [
        ScopeInfo(noun, f"Everything on {noun.replace('-', ' ')}.") for noun in nouns if noun not in summaries
    ]
    found += [ScopeInfo(scope, " ".join(allows)) for scope, allows in summaries.items()]
    return tuple(sorted(found, key=lambda each: each.name))


def covers(held: tuple[str, ...] | None, wanted: list[str] | None) -> bool:
    """Whether a key with `held` may hand on `wanted`; None is everything."""
    if held is None:
        return True
    return wanted is not None and all(scope in held or scope.partition(":")[0] in held for scope in wanted)

"""Every service there is, and which process of `argosy up` it lives in. Adding a service adds a line here.

Modules are imported when asked for: `argosy serve audit` does not load the gateway.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from argosy.kit.errors import Invalid

if TYPE_CHECKING:
    from argosy.backends.hosting import Service

GROUPS: dict[str, tuple[str, ...]] = {
    "core": ("identity", "audit", "cron", "git_server"),
    "edge": ("gateway",),
}
NAMES = tuple(name for members in GROUPS.values() for name in members)


def group_of(service: str) -> str:
    return next(group for group, members in GROUPS.items() if service in members)


def module_of(service: str) -> str:
    return f"argosy.platform.{service}.service"


def load(names: Iterable[str]) -> list[Service]:
    """In the order of `NAMES`, whatever order they were asked for in."""
    wanted = set(names)
    if unknown := sorted(wanted - set(NAMES)):
        raise Invalid(
            f"there is no service {unknown[0]!r}",
            code="host.service",
            cure=f"services: {', '.join(NAMES)}; `argosy serve --list` shows what they depend on",
        )
    return [
        cast("Service", importlib.import_module(module_of(name)).SERVICE) for name in NAMES if name in wanted
    ]


def with_database() -> list[Service]:
    return [one for one in load(NAMES) if one.migrations]

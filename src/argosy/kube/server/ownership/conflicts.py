"""What an applier is told when others own what it wants to change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from argosy.kube.errors import ApiError, Cause
from argosy.kube.server.ownership.fieldset import FieldSet, Path, has, paths, shown
from argosy.kube.server.ownership.managers import Manager
from argosy.kube.server.patches.go_text import quoted


class Conflict(NamedTuple):
    manager: Manager
    path: Path


class Conflicts(Exception):
    """Inside this package; `error` is what the client gets."""

    def __init__(self, found: list[Conflict]) -> None:
        super().__init__()
        self.found = found

    def but(self, allowed: FieldSet) -> Conflicts:
        return Conflicts([one for one in self.found if not has(allowed, one.path)])

    def error(self) -> ApiError:
        causes = [
            Cause("FieldManagerConflict", f"conflict with {_told(one.manager)}", shown(one.path))
            for one in self.found
        ]
        return ApiError(409, "Conflict", _message(self.found), causes=causes)


def conflicts_of(wanted: Mapping[Manager, FieldSet]) -> Conflicts:
    """Of the fields that each manager would lose."""
    return Conflicts(
        [
            Conflict(manager, path)
            for manager in sorted(wanted, key=lambda one: one.rank)
            for path in paths(wanted[manager])
        ]
    )


def _message(found: list[Conflict]) -> str:
    if len(found) == 1:
        return (
            f"Apply failed with 1 conflict: conflict with {_told(found[0].manager)}: {shown(found[0].path)}"
        )
    lines: list[str] = []
    last: Manager | None = None
    for one in found:
        if one.manager != last:
            lines.append(f"conflicts with {_told(one.manager)}:")
            last = one.manager
        lines.append(f"- {shown(one.path)}")
    return f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)


def _told(manager: Manager) -> str:
    name = quoted(manager.name)
    if manager.subresource:
        name += f" with subresource {quoted(manager.subresource)}"
    return name if manager.applies else f"{name} using {manager.version}"

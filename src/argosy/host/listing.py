"""`argosy serve --list`: the services and what they depend on. The docs hold the Mermaid form; a test compares."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from argosy.backends.hosting import Service
from argosy.host.registry import group_of


class Listed(msgspec.Struct, frozen=True):
    name: str
    process: str
    depends_on: tuple[str, ...]
    consumes: tuple[str, ...]
    database: bool


def listed(services: Sequence[Service]) -> list[Listed]:
    return [
        Listed(one.name, group_of(one.name), one.depends_on, one.consumes, bool(one.migrations))
        for one in services
    ]


def text(services: Sequence[Service]) -> str:
    rows = [("SERVICE", "PROCESS", "CALLS", "CONSUMES", "DATABASE")]
    rows += [
        (
            one.name,
            one.process,
            ", ".join(one.depends_on) or "-",
            ", ".join(one.consumes) or "-",
            f"schema {one.name}" if one.database else "-",
        )
        for one in listed(services)
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def mermaid(services: Sequence[Service]) -> str:
    """Solid arrows are calls, dotted ones events."""
    found = listed(services)
    lines = ["flowchart LR"]
    for process in dict.fromkeys(one.process for one in found):
        lines.append(f"  subgraph {process}")
        lines += [f"    {one.name}" for one in found if one.process == process]
        lines.append("  end")
    lines += [f"  {one.name} --> {other}" for one in found for other in one.depends_on]
    for one in found:
        for kind in one.consumes:
            producers = producers_of(kind, found)
            lines += [f"  {producer} -. {kind} .-> {one.name}" for producer in producers]
    return "\n".join(lines)


def producers_of(kind: str, found: Sequence[Listed]) -> list[str]:
    """An event type begins with its producer; audit records come from every service that has a database."""
    owner = kind.partition(".")[0]
    if kind == "audit.recorded.v1":
        return [one.name for one in found if one.database]
    return [one.name for one in found if one.name == owner]


def render(services: Sequence[Service], form: str) -> str:
    if form == "json":
        return msgspec.json.encode(listed(services)).decode()
    return mermaid(services) if form == "mermaid" else text(services)

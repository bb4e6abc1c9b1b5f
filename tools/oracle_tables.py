"""What the embedded Kubernetes knows of upstream's Go types, written by Go programs that look at them: `make oracle-tables`.

For the next version of Kubernetes: change `oracle_build`, run it, and look at what has changed. `internal_shapes.go` names the
structs that messages print; `empty_objects.go` is told the kinds of the pinned table, which `tools.kube_types` makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from argosy.kube.types import pinned
from tools import oracle_build
from tools.steps import ROOT, Stop, step

_SERVER = ROOT / "src" / "argosy" / "kube" / "server"


@dataclass(frozen=True)
class Table:
    program: str
    file: Path
    told: str = ""


def tables() -> list[Table]:
    kinds = "\n".join(" ".join(one.kind) for one in pinned().resources)
    version = "_".join(oracle_build.KUBERNETES.split(".")[:2])
    return [
        Table("internal_shapes", _SERVER / "rules" / "internal_shapes.jsonl"),
        Table("empty_objects", _SERVER / "ownership" / f"{version}_empty.jsonl", kinds),
    ]


def made(table: Table) -> bytes:
    return oracle_build.said_by(ROOT / "tools" / f"{table.program}.go", table.told)


def write(*, check: bool) -> None:
    """`check`: only says which are not what they would be."""
    stale: list[str] = []
    for table in tables():
        name = table.file.relative_to(ROOT).as_posix()
        with step(name):
            content = made(table)
        before = table.file.read_bytes() if table.file.exists() else b""
        if content == before:
            continue
        stale.append(name)
        if not check:
            table.file.write_bytes(content)
    if check and stale:
        raise Stop(
            f"not what Kubernetes {oracle_build.KUBERNETES} says: {', '.join(stale)}\nRun: make oracle-tables"
        )
    print(f"  {', '.join(stale) or 'nothing'} changed")

"""How soon `argosy up` is healthy, on a new data directory and on a used one, and what it weighs at rest.

Memory is PSS: pages shared by the forked processes are counted once, divided among those that share them.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.bench.running import data_directory, running

REST_SECONDS = 10


def run() -> list[tuple[str, str, str]]:
    with data_directory() as data_dir:
        with running(data_dir) as cold:
            pass
        with running(data_dir) as warm:
            time.sleep(REST_SECONDS)  # what is measured is the rest, so there is nothing to wait for
            weights = pss_per_process(data_dir)
    return [
        ("argosy up to healthy, new data directory", f"{cold.seconds:.1f} s", "≤ 5 s"),
        ("argosy up to healthy, used data directory", f"{warm.seconds:.1f} s", "≤ 5 s"),
        *((f"idle memory (PSS): {name}", _shown(size), "") for name, size in weights.items()),
        ("idle memory (PSS): together", _shown(sum(weights.values())), "≤ 260 MB"),
    ]


def pss_per_process(data_dir: Path) -> dict[str, int]:
    """Bytes per process that the supervisor names, each with its descendants; the rest is the supervisor's."""
    state = json.loads((data_dir / "run" / "supervisor.json").read_text())
    children = _children()
    named = {process["pid"]: name for name, process in state["processes"].items()}
    weights: dict[str, int] = {}

    def weigh(pid: int, name: str) -> None:
        name = named.get(pid, name)
        weights[name] = weights.get(name, 0) + _pss(pid)
        for child in children.get(pid, []):
            weigh(child, name)

    weigh(state["pid"], "supervisor")
    return dict(sorted(weights.items()))


def _children() -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        found.setdefault(parent, []).append(int(stat.parent.name))
    return found


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def _shown(size: int) -> str:
    return f"{size / 1024**2:.0f} MB"

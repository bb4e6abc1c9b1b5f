"""`make bench`: runs each `tests/bench/bench_*.py` and prints one table with the machine's facts.

A benchmark module has `run()`, which answers rows of (what, measured, target); it may measure nothing and
say why. One that raises is a row too, and fails the verb. `--save` writes docs/reports/bench.md; other
arguments choose modules by a part of their name.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from tools import machine
from tools.steps import ROOT

FOLDER = ROOT / "tests" / "bench"
REPORT = ROOT / "docs" / "reports" / "bench.md"
Row = tuple[str, str, str]
HEAD: Row = ("What", "Measured", "Target")


def main(arguments: list[str]) -> int:
    chosen = [argument for argument in arguments if not argument.startswith("--")]
    rows: list[Row] = []
    failed = False
    for path in sorted(FOLDER.glob("bench_*.py")):
        if chosen and not any(part in path.stem for part in chosen):
            continue
        print(f"  {path.stem} …", file=sys.stderr, flush=True)
        measured = measure(path)
        failed |= measured is None
        rows += measured or [(path.stem, "failed, see above", "")]
    about = f"{datetime.now(UTC):%Y-%m-%d}, commit `{machine.commit()}`, {machine.facts()}"
    text = f"{about}\n\n{table(rows)}"
    print(text)
    if "--save" in arguments:
        REPORT.parent.mkdir(parents=True, exist_ok=True)
        REPORT.write_text(f"# make bench\n\n{text}\n")
    return 1 if failed else 0


def measure(path: Path) -> list[Row] | None:
    try:
        rows: list[Row] = importlib.import_module(f"tests.bench.{path.stem}").run()
    except Exception:  # one broken benchmark must not hide the others; the verb fails all the same
        traceback.print_exc()
        return None
    return rows


def table(rows: list[Row]) -> str:
    """Markdown that also reads well on a terminal."""
    widths = [max(len(row[column]) for row in [HEAD, *rows]) for column in range(3)]
    ruler: Row = ("-" * widths[0], "-" * widths[1], "-" * widths[2])
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in [HEAD, ruler, *rows]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`make test` and `make test-long`: what the tests need, the judges of `tools.lint`, then pytest.

Pytest comes last and writes straight to the terminal, so that the output ends on its own summary. A failed
judge fails the run and stops nothing. `ARGS` is handed to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from tools import machine, programs
from tools.lint import judge_all
from tools.steps import ROOT

REPORTS = ROOT / "docs" / "reports"
_WORKERS = ["-n", "2", "--dist", "worksteal"]


def main(arguments: list[str]) -> int:
    long = "--long" in arguments
    chosen = [argument for argument in arguments if argument != "--long"]
    started = time.monotonic()
    missing = programs.ensure()
    if missing and in_ci():
        print(f"test: {missing}", file=sys.stderr)
    elif missing:
        print(f"  tests that need them will be skipped: {missing}")
    print("Judges", flush=True)
    failed = judge_all()
    if failed:
        print(f"  FAILED: {', '.join(failed)}; the tests run all the same, the run fails", flush=True)
    print("Tests", flush=True)
    status, summary = pytest(chosen, long=long)
    if long:
        write_report(failed, summary, time.monotonic() - started)
    return status or (1 if failed or (missing and in_ci()) else 0)


def in_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true", "yes"}


def pytest(arguments: list[str], *, long: bool) -> tuple[int, list[str]]:
    """Its status and the last lines it wrote; everything is shown as it comes."""
    workers = [] if any("::" in argument for argument in arguments) else _WORKERS
    chosen = [] if long else ["-m", "not long"]
    command = [sys.executable, "-m", "pytest", *chosen, *workers, *arguments]
    last: list[str] = []
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as running:
        for line in running.stdout or ():
            sys.stdout.write(line)
            sys.stdout.flush()
            last = [*last[-399:], line.rstrip("\n")]
    return running.returncode, last


def write_report(failed: list[str], output: list[str], seconds: float) -> Path:
    """What ran, where, and how it ended; committed before an issue is called resolved."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    path = REPORTS / "test-long.md"
    endings = ("FAILED ", "ERROR ", "SKIPPED ")
    notable = [line for line in output if line.startswith(endings)]
    path.write_text(
        f"# make test-long, {datetime.now(UTC):%Y-%m-%d %H:%M} UTC\n\n"
        f"Commit `{machine.commit()}` on {machine.facts()}\n\n"
        f"- judges: {'all passed' if not failed else 'failed: ' + ', '.join(failed)}\n"
        f"- tests: {output[-1].strip('= ') if output else 'pytest wrote nothing'}\n"
        f"- together: {seconds / 60:.1f} minutes\n"
        + ("\n```text\n" + "\n".join(notable) + "\n```\n" if notable else "")
    )
    return path


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

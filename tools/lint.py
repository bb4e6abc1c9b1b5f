"""Everything that judges the code without running it, two at a time, each with its time.

`make lint` runs it; `tools.test` runs it before the tests. A failure is shown whole and does not stop the rest.
"""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from tools.setup import UI, node_environment
from tools.steps import ROOT, plain

BIN = ROOT / ".venv" / "bin"


@dataclass(frozen=True)
class Judge:
    name: str
    command: tuple[str, ...]
    folder: Path = ROOT
    # A judge whose words are worth reading when all is well, too.
    speaks: bool = False


def judges() -> list[Judge]:
    python = str(BIN / "python")
    return [
        Judge("types (mypy)", (str(BIN / "mypy"), "--no-error-summary")),
        Judge("ruff", (str(BIN / "ruff"), "check", "--quiet")),
        Judge(
            "format (ruff)", (str(BIN / "ruff"), "format", "--check", "--quiet", "--output-format", "concise")
        ),
        Judge("layers (import-linter)", (str(BIN / "lint-imports"), "--no-logo")),
        Judge("house rules", (python, "-m", "tools.rules")),
        Judge("sizes", (python, "-m", "tools.sizes"), speaks=True),
        *_of_the_ui(),
    ]


def _of_the_ui() -> list[Judge]:
    if not (UI / "node_modules").is_dir():
        return []
    programs = UI / "node_modules" / ".bin"
    return [
        Judge("UI lint (Biome)", (str(programs / "biome"), "ci", "--colors=off"), UI),
        Judge("UI types (tsc)", (str(programs / "tsc"), "-b"), UI),
        Judge("UI tests (vitest)", (str(programs / "vitest"), "run"), UI),
        Judge("UI size", ("npm", "run", "--silent", "size"), UI, speaks=True),
    ]


def judge_all() -> list[str]:
    """The names of those that failed."""
    failed: list[str] = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        running = {pool.submit(_judge, judge): judge for judge in judges()}
        for done in concurrent.futures.as_completed(running):
            judge, (status, said, seconds) = running[done], done.result()
            print(f"  {judge.name} … {'ok' if status == 0 else 'FAILED'} {seconds:.1f} s", flush=True)
            if said and (status != 0 or judge.speaks):
                print("\n".join(f"    {line}" for line in said.splitlines()), flush=True)
            if status != 0:
                failed.append(judge.name)
    return failed


def _judge(judge: Judge) -> tuple[int, str, float]:
    started = time.monotonic()
    environment = node_environment() if judge.folder == UI else dict(os.environ)
    try:
        done = subprocess.run(
            judge.command,
            cwd=judge.folder,
            env={**environment, "NO_COLOR": "1", "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=600,
            check=False,
        )
    except FileNotFoundError:
        return 1, f"{judge.command[0]} is not installed", time.monotonic() - started
    except subprocess.TimeoutExpired:
        return 1, "did not end within 600 s", time.monotonic() - started
    return done.returncode, plain(done.stdout).strip(), time.monotonic() - started


def main() -> int:
    failed = judge_all()
    if failed:
        print(f"lint: {len(failed)} failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The size report: how long files and functions are, and which are too long to be seen whole.

Run by `tools.lint` and by pre-commit. Over a hard limit fails; over a soft one is only named.
`exemptions.toml` [sizes] holds the exceptions with their reasons.
"""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.exemptions import Exemptions
from tools.steps import ROOT


@dataclass(frozen=True)
class Limit:
    name: str
    patterns: tuple[str, ...]
    warn: int
    fail: int


@dataclass(frozen=True)
class Size:
    path: str
    name: str
    line: int
    lines: int

    def __str__(self) -> str:
        place = f"{self.path}:{self.line} {self.name}" if self.name else self.path
        return f"{place}: {self.lines} lines"


FILES = (
    Limit("Python files", ("src/**/*.py", "tools/*.py"), 400, 500),
    Limit("test files", ("tests/**/*.py",), 600, 700),
    Limit("TS components", ("ui/src/**/*.tsx",), 250, 400),
    Limit("TS modules", ("ui/src/**/*.ts",), 400, 500),
)
FUNCTIONS = Limit("functions", ("src/**/*.py", "tools/*.py"), 50, 60)
_GENERATED = {"gen", "node_modules"}


def main() -> int:
    exemptions = Exemptions.of("sizes")
    failed = False
    for limit in FILES:
        sizes = [Size(_shown(path), "", 1, _count(path)) for path in _matching(limit)]
        failed |= report(limit, sizes, exemptions)
    functions = [
        size for path in _matching(FUNCTIONS) for size in functions_of(_shown(path), path.read_text())
    ]
    failed |= report(FUNCTIONS, functions, exemptions)
    stale = exemptions.stale()
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if failed or stale else 0


def report(limit: Limit, sizes: list[Size], exemptions: Exemptions) -> bool:
    """Prints one line, and one for each that is too long; True when the run must fail."""
    if not sizes:
        return False
    lengths = sorted(size.lines for size in sizes)
    median, p95 = statistics.median(lengths), lengths[min(len(lengths) - 1, int(len(lengths) * 0.95))]
    print(f"{limit.name}: {len(sizes)}, median {median:.0f}, p95 {p95}, longest {lengths[-1]} lines")
    failed = False
    for size in sorted(sizes, key=lambda size: -size.lines):
        if size.lines > limit.fail and not exemptions.allows(size.path, size.name):
            print(f"  too long (at most {limit.fail}): {size}")
            failed = True
        elif limit.warn < size.lines <= limit.fail:
            print(f"  long: {size}")
    return failed


def functions_of(path: str, source: str) -> Iterator[Size]:
    """None of a file that cannot be parsed: the house rules name that one."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield Size(path, node.name, node.lineno, node.end_lineno - node.lineno + 1)


def _matching(limit: Limit) -> list[Path]:
    found = {path for pattern in limit.patterns for path in ROOT.glob(pattern)}
    return sorted(path for path in found if not _GENERATED & set(path.parts) and ".gen." not in path.name)


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _count(path: Path) -> int:
    return path.read_bytes().count(b"\n")


if __name__ == "__main__":
    sys.exit(main())

"""The built-in Git server and the trees of its commits: what a person waits for a push or a clone, what a renderer waits for files.

Run by `make bench`. Real git against a real platform over loopback; git's own start-up is part of every number.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree
from tests.conformance.git.conftest import Server
from tests.git_repository import Work
from tests.installation import Installation

FILES = 10_000
PUSHES = 30
BIG = 200 << 20
T = TypeVar("T")


def run() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory(prefix="argosy-bench-") as folder:
        return [*_trees(Path(folder)), *_server(Path(folder))]


def _trees(folder: Path) -> list[tuple[str, str, str]]:
    work = Work(folder / "tree")
    first = work.commit(
        {
            f"apps/a{number // 10}/f{number % 10}.yaml": f"kind: x\nname: n{number}\n"
            for number in range(FILES)
        }
    )
    work.git("gc", "--quiet")
    second = work.commit({"apps/a0/f0.yaml": "changed"})
    with Reader(work.folder / ".git") as reader:
        tree = GitTree(reader, first)
        walked, paths = _timed(lambda: [path for path, entry in tree.walk() if entry.kind == "file"])
        read, _ = _timed(lambda: [tree.read(path) for path in paths])
        again, _ = _timed(
            lambda: [GitTree(reader, second).digest(f"apps/a{number}") for number in range(FILES // 10)]
        )
    return [
        (f"git tree: all paths of {FILES} files", f"{walked * 1000:.0f} ms", ""),
        (f"git tree: read {FILES} files", f"{read:.2f} s ({FILES / read:,.0f}/s)", "≥ 10,000/s"),
        (
            "git tree: is anything changed, 1,000 folders of the next commit",
            f"{again * 1000:.0f} ms",
            "≤ 100 ms",
        ),
    ]


def _server(folder: Path) -> list[tuple[str, str, str]]:
    with Installation() as installation:
        server = Server(installation, installation.new_account(), folder)
        small = server.make("small")
        work = server.work(small)

        def push(number: int) -> float:
            work.commit({"a.yaml": str(number)})
            return _timed(lambda: work.git("push", "--quiet"))[0]

        pushes = [push(number) for number in range(PUSHES)]
        clones = [_timed(partial(server.clone, small, f"clone{number}"))[0] for number in range(10)]
        listed = [_timed(lambda: work.git("ls-remote", "origin"))[0] for _ in range(20)]
        repository = server.make("big")
        big = server.work(repository, "big")
        big.commit({"big": os.urandom(BIG)})
        big.git("init", "--quiet", "--bare", str(folder / "bare.git"))
        plain, _ = _timed(lambda: big.git("push", "--quiet", str(folder / "bare.git"), "main", timeout=600))
        pushed, _ = _timed(lambda: big.git("push", "--quiet", timeout=600))
        cloned, _ = _timed(lambda: big.git("clone", "--quiet", server.url(repository), "copy", timeout=600))
    return [
        ("git push of one commit, announced", _spread(pushes), "p50 ≤ 250 ms"),
        ("git clone of a small repository", _spread(clones), ""),
        ("git ls-remote", _spread(listed), "p50 ≤ 80 ms"),
        (
            "git push, 200 MB, into a folder without any server",
            f"{plain:.1f} s ({BIG / plain / 1e6:.0f} MB/s)",
            "",
        ),
        ("git push, 200 MB", f"{pushed:.1f} s ({BIG / pushed / 1e6:.0f} MB/s)", ""),
        ("git clone, 200 MB", f"{cloned:.1f} s ({BIG / cloned / 1e6:.0f} MB/s)", ""),
    ]


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    started = time.perf_counter()
    done = work()
    return time.perf_counter() - started, done


def _spread(times: list[float]) -> str:
    return f"p50 {statistics.median(times) * 1000:.0f} ms, worst {max(times) * 1000:.0f} ms"

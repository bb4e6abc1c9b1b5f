"""How long a person waits for the CLI: its help, and one list from a platform on this machine."""

from __future__ import annotations

import secrets
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tests.bench.running import argosy, data_directory, running

TIMES = 20


def run() -> list[tuple[str, str, str]]:
    rows = [(f"argosy --help, median of {TIMES}", median(lambda: argosy("--help")), "≤ 100 ms")]
    with data_directory() as data_dir, running(data_dir) as platform:
        home = data_dir.parent
        chosen = secrets.token_urlsafe(18)
        sign_in = ["--email", platform.email, "--password", platform.password, "--new-password", chosen]
        argosy("login", platform.url, *sign_in, home=home)
        rows.append((f"argosy get users, median of {TIMES}", median(lambda: get_users(home)), "≤ 200 ms"))
    return rows


def get_users(home: Path) -> None:
    argosy("get", "users", home=home)


def median(once: Callable[[], object]) -> str:
    once()  # the first one warms the disk cache and Python's
    seconds = []
    for _ in range(TIMES):
        started = time.perf_counter()
        once()
        seconds.append(time.perf_counter() - started)
    return f"{statistics.median(seconds) * 1000:.0f} ms"

"""The facts of this machine that a measurement needs beside it: `tools.bench` and `tools.test` print them."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from argosy.host.postgres.binaries import find_binaries
from argosy.kit.errors import ArgosyError
from tools.steps import ROOT


def facts() -> str:
    return (
        f"{_processor()}, {len(os.sched_getaffinity(0))} cores, {_memory()}, "
        f"Python {platform.python_version()}, PostgreSQL {_postgres()}, {_distribution()}"
    )


def commit() -> str:
    return _said(["git", "describe", "--always", "--dirty", "--abbrev=12"]) or "unknown"


def _processor() -> str:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _memory() -> str:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal:"):
            return f"{int(line.split()[1]) / 1024**2:.0f} GiB"
    return "unknown memory"


def _distribution() -> str:
    for line in _lines("/etc/os-release"):
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return platform.system()


def _postgres() -> str:
    try:
        return find_binaries().version
    except ArgosyError:
        return "absent"


def _said(command: list[str]) -> str:
    try:
        return subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30
        ).stdout.strip()
    except FileNotFoundError:
        return ""


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except FileNotFoundError:
        return []

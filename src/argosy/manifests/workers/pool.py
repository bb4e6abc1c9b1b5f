"""Gives jobs to a few workers. A worker that takes too long or dies is replaced, and only its job fails.

Workers are started when they are needed and end when they have had nothing to do for a while; each is given up after many jobs, so that
nothing grows for ever.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass

import msgspec

from argosy.kit.log import get_logger
from argosy.manifests.jobs import Answer, Job
from argosy.manifests.workers.framing import LENGTH

log = get_logger(__name__)
_ANSWER = msgspec.msgpack.Decoder(Answer)
_JOB = msgspec.msgpack.Encoder()
_JOBS, _IDLE = 5000, 60.0
_MOST_ANSWER = 256 * 1024 * 1024


class TookTooLong(Exception):
    """The worker was killed."""


class WorkerDied(Exception):
    """Out of memory, most probably."""


@dataclass(slots=True)
class _Worker:
    process: asyncio.subprocess.Process
    jobs: int = 0
    idle_since: float = 0.0


class Pool:
    def __init__(self, size: int = 2) -> None:
        self._slots = asyncio.Semaphore(size)
        self._idle: list[_Worker] = []
        self._reaper: asyncio.TimerHandle | None = None
        self.jobs = 0

    async def run(self, job: Job, *, seconds: float) -> Answer:
        """Waits for a free worker as long as it takes, and for the answer at most `seconds`."""
        async with self._slots:
            worker = self._idle.pop() if self._idle else await self._start()
            self.jobs += 1
            try:
                async with asyncio.timeout(seconds):
                    answer = await _ask(worker, job)
            except TimeoutError:
                await _kill(worker)
                raise TookTooLong(f"it did not end within {seconds:.0f} s") from None
            except (asyncio.IncompleteReadError, ConnectionError, BrokenPipeError):
                code = await _kill(worker)
                raise WorkerDied(f"the process that rendered it died ({_why(code)})") from None
            except BaseException:
                await _kill(worker)
                raise
            self._give_back(worker)
            return answer

    async def close(self) -> None:
        if self._reaper is not None:
            self._reaper.cancel()
        idle, self._idle = self._idle, []
        await asyncio.gather(*(_kill(worker) for worker in idle))

    async def _start(self) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "argosy.manifests.workers.process",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={"PATH": os.environ.get("PATH", ""), "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        return _Worker(process)

    def _give_back(self, worker: _Worker) -> None:
        worker.jobs += 1
        loop = asyncio.get_running_loop()
        worker.idle_since = loop.time()
        self._idle.append(worker)
        if self._reaper is None:
            self._reaper = loop.call_later(_IDLE, self._reap)

    def _reap(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        for worker in list(self._idle):
            if now - worker.idle_since >= _IDLE or worker.jobs >= _JOBS:
                self._idle.remove(worker)
                assert worker.process.stdin is not None
                worker.process.stdin.close()  # it ends by itself
        self._reaper = loop.call_later(_IDLE, self._reap) if self._idle else None


async def _ask(worker: _Worker, job: Job) -> Answer:
    body = _JOB.encode(job)
    stdin, stdout = worker.process.stdin, worker.process.stdout
    assert stdin is not None
    assert stdout is not None
    stdin.write(LENGTH.pack(len(body)) + body)
    await stdin.drain()
    (length,) = LENGTH.unpack(await stdout.readexactly(LENGTH.size))
    if length > _MOST_ANSWER:
        raise ConnectionError("an answer without end")
    answer: Answer = _ANSWER.decode(await stdout.readexactly(length))
    return answer


async def _kill(worker: _Worker) -> int:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(worker.process.pid, 9)  # helm too
    return await worker.process.wait()


def _why(code: int) -> str:
    return "killed, probably for its memory" if code == -9 else f"exit {code}"

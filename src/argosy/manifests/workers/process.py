"""A worker: reads jobs from its input, answers on its output, until its input ends. `python -m argosy.manifests.workers.process FOLDER`.

It begins by taking away from itself what it does not need: the network, privileges, unlimited memory, writing anywhere but into its folder. Then
it says that it is ready.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import BinaryIO, TextIO

import msgspec

from argosy.manifests.jobs import Answer, Failed, Job, run
from argosy.manifests.workers.confining import confine
from argosy.manifests.workers.framing import LENGTH, READY

_JOB = msgspec.msgpack.Decoder(Job)
_ANSWER = msgspec.msgpack.Encoder()
_MEMORY = 2 * 1024**3
_FILE = 512 * 1024**2
_NICENESS = 5
_FIRST_TO_GO = "600"


def main(folder: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE, _FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_NICENESS)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)
    confine(Path(folder))
    source, sink, log = sys.stdin.buffer, os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(2), "w")
    _silence()
    sink.write(READY)
    sink.flush()
    while (job := _next(source)) is not None:
        body = _ANSWER.encode(_answer(job, log))
        sink.write(LENGTH.pack(len(body)) + body)
        sink.flush()
    return 0


def _silence() -> None:
    """What libraries print (`debug` of jq, `std.trace`) may be secret, and must not stand between the answers."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _answer(job: bytes, log: TextIO) -> Answer:
    try:
        return run(_JOB.decode(job))
    except MemoryError:
        return Failed(f"rendering needs more than {_MEMORY // 1024**3} GB of memory")
    except RecursionError:
        return Failed("something in the source is nested too deeply")
    except Exception as error:  # the top of a worker: the engine is told, and the next job is another's
        traceback.print_tb(error.__traceback__, file=log)  # without the message, in which values may stand
        log.flush()
        return Failed(f"rendering failed unexpectedly ({type(error).__name__}); the engine's log says where")


def _next(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(head)
    return source.read(length)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

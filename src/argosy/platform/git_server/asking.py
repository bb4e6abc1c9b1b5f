"""How git asks us, in the middle of a push, whether it may go on: through two pipes that its one hook inherits.

Git has received everything by then and keeps it in quarantine; nothing is visible yet. The hook is ours, the same for every repository, and
knows nothing: it writes down what git tells it and waits for an answer. When we are killed meanwhile, it hears the end of the pipe and
refuses.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from argosy.platform.git_server.protection import Update

_LIMIT = 8 * 1024 * 1024
_ASKS, _ANSWERS = "ARGOSY_ASKS", "ARGOSY_ANSWERS"
_HOOK = f"""#!/bin/sh
# Made by the platform at every start: asks it whether this push may go on. Repositories have no hooks of their own.
{{ printf '%s\\n' "$GIT_QUARANTINE_PATH"; cat; echo .; }} >"/dev/fd/${_ASKS}" || exit 1
while IFS= read -r line; do
  case "$line" in
    ok) exit 0 ;;
    no) exit 1 ;;
    *) printf '%s\\n' "$line" >&2 ;;
  esac
done <"/dev/fd/${_ANSWERS}"
echo "the platform went away; push again" >&2
exit 1
"""


@dataclass(frozen=True, slots=True)
class Question:
    updates: list[Update]
    quarantine: str

    def seeing(self, repository: Path) -> Mapping[str, str]:
        """For a git that must see what is not accepted yet."""
        return {
            "GIT_OBJECT_DIRECTORY": self.quarantine,
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(repository / "objects"),
        }


@dataclass(slots=True)
class Conversation:
    variables: Mapping[str, str]
    theirs: tuple[int, int]
    _asked: int
    _answer: int
    _handed_over: bool = False

    def handed_over(self) -> None:
        """Git has its ends: without ours the pipes end when it does."""
        if not self._handed_over:
            self._handed_over = True
            for descriptor in self.theirs:
                os.close(descriptor)

    async def question(self) -> Question | None:
        """None: git ended without asking, because it had refused by itself or nothing was to be done."""
        reader = asyncio.StreamReader(limit=_LIMIT)
        loop = asyncio.get_running_loop()
        pipe = os.fdopen(os.dup(self._asked), "rb", buffering=0)
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
        try:
            said = bytearray()
            while not said.endswith(b"\n.\n"):
                piece = await reader.read(64 * 1024)
                said += piece
                if not piece or len(said) > _LIMIT:
                    return None
            return _question(bytes(said))
        finally:
            transport.close()

    def allow(self) -> None:
        self._say("ok\n")

    def refuse(self, reasons: list[str]) -> None:
        self._say("".join(f"{reason}\n" for reason in reasons)[:32_000] + "no\n")

    def _say(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # then git has ended, and its exit tells why
            os.write(self._answer, text.encode("utf-8", "replace"))

    def close(self) -> None:
        self.handed_over()
        os.close(self._asked)
        os.close(self._answer)


@contextlib.asynccontextmanager
async def conversation() -> AsyncIterator[Conversation]:
    asked, asks = os.pipe()
    answers, answer = os.pipe()
    talk = Conversation({_ASKS: str(asks), _ANSWERS: str(answers)}, (asks, answers), asked, answer)
    try:
        yield talk
    finally:
        talk.close()


def write_hook(folder: Path) -> None:
    """As a whole, so that a push under way never finds half of one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = folder / f".pre-receive.{os.getpid()}"
    draft.write_text(_HOOK)
    draft.chmod(0o700)
    draft.replace(folder / "pre-receive")


def _question(said: bytes) -> Question:
    """The quarantine's folder, then `<before> <after> <ref>` in lines, then a full stop."""
    quarantine, *lines = said.decode("utf-8", "surrogateescape").removesuffix("\n.\n").split("\n")
    updates = []
    for line in lines:
        before, after, ref = line.split(" ", 2)
        updates.append(Update(ref, before, after))
    return Question(updates, quarantine)

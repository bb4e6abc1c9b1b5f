"""What proves who asks: a token, a token in a file that somebody renews, or one that a program of the user's hands out."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from argosy.kube.errors import unauthorized

_FILE_SECONDS = 60.0
_EXEC_SECONDS = 60.0
_EARLY_SECONDS = 30.0


class Credentials(Protocol):
    async def headers(self) -> dict[str, str]: ...

    def refused(self, headers: dict[str, str]) -> bool:
        """The cluster did not take these. Whether it is worth asking for others."""
        ...


@dataclass(frozen=True, slots=True)
class Token:
    token: str

    async def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token}"}

    def refused(self, headers: dict[str, str]) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Password:
    user: str
    password: str

    async def headers(self) -> dict[str, str]:
        packed = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return {"authorization": f"Basic {packed}"}

    def refused(self, headers: dict[str, str]) -> bool:
        return False


@dataclass(slots=True)
class TokenFile:
    """Read again each minute: kubelets renew it in place."""

    path: Path
    _token: str = ""
    _read: float = float("-inf")

    async def headers(self) -> dict[str, str]:
        if time.monotonic() - self._read > _FILE_SECONDS:
            self._token = self.path.read_text().strip()
            self._read = time.monotonic()
        return {"authorization": f"Bearer {self._token}"}

    def refused(self, headers: dict[str, str]) -> bool:
        self._read = float("-inf")
        return True


@dataclass(slots=True)
class ExecPlugin:
    """`users[].user.exec` of a kubeconfig. The token is kept until shortly before it expires."""

    command: str
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    api_version: str = "client.authentication.k8s.io/v1"
    hint: str = ""
    _token: str = ""
    _until: float = 0.0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def headers(self) -> dict[str, str]:
        async with self._lock:
            if time.time() >= self._until:
                await self._ask()
        return {"authorization": f"Bearer {self._token}"}

    def refused(self, headers: dict[str, str]) -> bool:
        # Of many requests that were under way together, only the first finds the token that it brought.
        if headers.get("authorization") == f"Bearer {self._token}":
            self._until = 0.0
        return True

    async def _ask(self) -> None:
        info = {"apiVersion": self.api_version, "kind": "ExecCredential", "spec": {"interactive": False}}
        try:
            program = await asyncio.create_subprocess_exec(
                self.command,
                *self.arguments,
                env={**os.environ, **self.environment, "KUBERNETES_EXEC_INFO": json.dumps(info)},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise unauthorized(
                f"{self.command} cannot be run: {error.strerror}. {self.hint}".strip()
            ) from error
        try:
            async with asyncio.timeout(_EXEC_SECONDS):
                said, complaint = await program.communicate()
        except TimeoutError:
            program.kill()
            raise unauthorized(f"{self.command} handed out no token within {_EXEC_SECONDS:g} s") from None
        if program.returncode:
            raise unauthorized(f"{self.command} failed: {complaint.decode(errors='replace').strip()[-300:]}")
        self._take(said)

    def _take(self, said: bytes) -> None:
        try:
            status = json.loads(said)["status"]
            self._token = str(status["token"])
            expires = status.get("expirationTimestamp")
            self._until = (
                datetime.fromisoformat(expires).timestamp() - _EARLY_SECONDS if expires else float("inf")
            )
        except (ValueError, KeyError, TypeError) as error:
            raise unauthorized(
                f"{self.command} did not answer with an ExecCredential that has a token"
            ) from error

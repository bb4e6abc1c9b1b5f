"""What proves who asks: a token, a token in a file that somebody renews, or what a program of the user's hands out."""

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
from typing import NamedTuple, Protocol

from argosy.kube.errors import unauthorized

_FILE_SECONDS = 60.0
_EXEC_SECONDS = 60.0
_EARLY_SECONDS = 30.0


class Proof(NamedTuple):
    """`certificate`: a client certificate and its key, in PEM."""

    headers: Mapping[str, str] = {}
    certificate: bytes = b""


class Credentials(Protocol):
    async def proof(self) -> Proof: ...

    def refused(self, proof: Proof) -> bool:
        """The cluster did not take these. Whether it is worth asking for others."""
        ...


@dataclass(frozen=True, slots=True)
class Token:
    token: str

    async def proof(self) -> Proof:
        return Proof(_bearer(self.token))

    def refused(self, proof: Proof) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Password:
    user: str
    password: str

    async def proof(self) -> Proof:
        packed = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return Proof({"authorization": f"Basic {packed}"})

    def refused(self, proof: Proof) -> bool:
        return False


@dataclass(slots=True)
class TokenFile:
    """Read again each minute: kubelets renew it in place."""

    path: Path
    _token: str = ""
    _read: float = float("-inf")

    async def proof(self) -> Proof:
        if time.monotonic() - self._read > _FILE_SECONDS:
            self._token = self.path.read_text().strip()
            self._read = time.monotonic()
        return Proof(_bearer(self._token))

    def refused(self, proof: Proof) -> bool:
        self._read = float("-inf")
        return True


@dataclass(slots=True)
class ExecPlugin:
    """`users[].user.exec` of a kubeconfig: a token, a client certificate or both, kept until shortly before they expire."""

    command: str
    arguments: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    api_version: str = "client.authentication.k8s.io/v1"
    hint: str = ""
    _proof: Proof = field(default_factory=Proof)
    _until: float = 0.0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def proof(self) -> Proof:
        async with self._lock:
            if time.time() >= self._until:
                await self._ask()
        return self._proof

    def refused(self, proof: Proof) -> bool:
        # Of many requests that were under way together, only the first finds the proof that it brought.
        if proof == self._proof:
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
            self._proof = _handed_out(status)
            expires = status.get("expirationTimestamp")
            self._until = (
                datetime.fromisoformat(expires).timestamp() - _EARLY_SECONDS if expires else float("inf")
            )
        except (ValueError, KeyError, TypeError) as error:
            raise unauthorized(
                f"{self.command} did not answer with an ExecCredential that has a token, or a certificate with its key"
            ) from error


def _handed_out(status: Mapping[str, object]) -> Proof:
    """KeyError without anything that proves something, and with half a pair."""
    token, certificate = status.get("token"), b""
    if not token or status.get("clientCertificateData") or status.get("clientKeyData"):
        certificate = f"{status['clientCertificateData']}\n{status['clientKeyData']}\n".encode()
    return Proof(_bearer(str(token)) if token else {}, certificate)


def _bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}

"""What `argosy up` was told, and the plan it hands that to.

`lifecycle.up` fills `UpOptions` from the command line, the settings file (section `up`) and the environment;
`host.plan` builds the processes from it. The plan is imported late: most verbs do not need what it imports.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Protocol, cast

import msgspec

from argosy.host.paths import DataDir
from argosy.host.processes import Process

_ANY_ADDRESS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}


class UpSettings(msgspec.Struct, frozen=True):
    """Section `up` of the settings file. Port 0 picks a free one at each start."""

    host: str = "127.0.0.1"
    port: int = 8080
    public_url: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    tls_self_signed: bool = False


class UpOptions(msgspec.Struct, frozen=True):
    """The same, settled: `listen_fd` is the bound and listening socket, `port` its port."""

    host: str
    port: int
    listen_fd: int
    public_url: str = ""
    tls_cert: str = ""
    tls_key: str = ""

    @property
    def url(self) -> str:
        """What a person opens, without a slash at the end."""
        if self.public_url:
            return self.public_url
        scheme = "https" if self.tls_cert else "http"
        host = _bracketed(_ANY_ADDRESS.get(self.host, self.host))
        default = 443 if self.tls_cert else 80
        return f"{scheme}://{host}" if self.port == default else f"{scheme}://{host}:{self.port}"

    @property
    def listens(self) -> str:
        """Address and port for whatever stands before it, where the URL does not tell them: a port 0 is a real one by now."""
        return f"{_bracketed(self.host)}:{self.port}" if self.public_url else ""


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class Plan(Protocol):
    """What `argosy.host.plan` offers."""

    @property
    def PREIMPORT(self) -> Sequence[str]:  # noqa: N802
        """The modules that every forked process needs."""

    def build_plan(self, data: DataDir, options: UpOptions, announce: Callable[[str], None]) -> list[Process]:
        """The processes, each after those it needs. `announce` shows a line of progress."""

    def migrate_all(self, data: DataDir) -> None:
        """Brings every schema of the installation in `data` up to date (for a rehearsed upgrade)."""


def load_plan() -> Plan:
    return cast(Plan, importlib.import_module("argosy.host.plan"))

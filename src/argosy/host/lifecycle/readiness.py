"""What each service waits for, for `argosy status`: a process may be well while the database of one of its services
is away. Asked where an orchestrator asks too, `/svc/<service>/readyz` on the process's socket.
"""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from argosy.host.paths import METRICS_TOKEN, DataDir
from argosy.host.registry import GROUPS
from argosy.kit.sockets import address

_SECONDS = 5.0  # a service itself gives its database three
_LONGEST = 2000


class Readiness(msgspec.Struct, frozen=True):
    name: str
    process: str
    ready: bool
    waiting_for: str


def of_services(data: DataDir) -> list[Readiness]:
    """All at once: one that is silent must not make the others wait."""
    every = [(name, process) for process, members in GROUPS.items() for name in members]
    with ThreadPoolExecutor(len(every)) as threads:
        return list(threads.map(lambda one: _of(data, *one), every))


def _of(data: DataDir, name: str, process: str) -> Readiness:
    reason = _ask(data.socket(process), f"/svc/{name}/readyz", _token(data))
    return Readiness(name, process, not reason, reason)


def _token(data: DataDir) -> str:
    """With it the answer has the detail; who may not read it gets the plain reason."""
    try:
        return (data.secrets / METRICS_TOKEN).read_text().strip()
    except OSError:
        return ""


def _ask(path: Path, probe: str, token: str) -> str:
    import http.client  # brings TLS with it: only where something runs that can be asked

    link = http.client.HTTPConnection("localhost", timeout=_SECONDS)
    link.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.sock.settimeout(_SECONDS)
    try:
        link.sock.connect(address(path))
        link.request("GET", probe, headers={"Authorization": f"Bearer {token}"})
        answer = link.getresponse()
        told = answer.read(_LONGEST).decode(errors="replace")
    except TimeoutError:
        return "it does not answer"
    except (OSError, http.client.HTTPException):
        return "its process is not there"
    finally:
        link.close()
    return "" if answer.status == 200 else told

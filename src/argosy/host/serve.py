"""`argosy serve [NAME…]`: some services, or all, in one process, for a deployment of one's own.

Databases and other parts are found by environment (`installation`); `ARGOSY_LISTEN` is the address for the other
parts (`127.0.0.1:8090`), the gateway's own is in its settings. Databases and the roles that own them are the operator's to create.
"""

from __future__ import annotations

import os
import socket
import sys

from argosy.host import listing as forms
from argosy.host.composition.process import Doors, Hooks, Process, run_process
from argosy.host.installation import Installation
from argosy.host.paths import DataDir
from argosy.host.registry import NAMES, load
from argosy.kit import log
from argosy.kit.errors import BadRequest, Conflict
from argosy.platform.gateway.settings import GatewaySettings

_LISTEN = "127.0.0.1:8090"


def main(names: list[str], listing: str) -> int:
    services = load(names or NAMES)
    if listing:
        sys.stdout.write(forms.render(services, listing) + "\n")
        return 0
    log.configure(service="+".join(one.name for one in services), human=sys.stderr.isatty())
    installation = Installation(DataDir.default())
    installation.data.create()
    installation.check_settings()
    chosen = [one.name for one in services]
    doors = Doors(
        internal=_tcp(os.environ.get("ARGOSY_LISTEN", _LISTEN)), public=_public(installation, chosen)
    )

    async def ready(_: Process) -> None:
        log.get_logger(__name__).info("process.ready", services=chosen)

    run_process(installation, chosen, doors, Hooks(lambda _: None, ready))
    return 0


def _public(installation: Installation, names: list[str]) -> socket.socket | None:
    if "gateway" not in names:
        return None
    (gateway,) = load(["gateway"])
    settings = installation.settings_for(gateway)
    assert isinstance(settings, GatewaySettings)
    return _tcp(f"{settings.host}:{settings.port}")


def _tcp(address: str) -> socket.socket:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise BadRequest(
            f"{address!r} is not host:port",
            code="host.listen",
            cure="for example ARGOSY_LISTEN=127.0.0.1:8090",
        )
    try:
        return socket.create_server(
            (host.strip("[]"), int(port)),
            backlog=2048,
            family=socket.AF_INET6 if ":" in host else socket.AF_INET,
        )
    except OSError as error:
        raise Conflict(
            f"cannot listen on {address}: {error.strerror}",
            code="host.port_taken",
            cure="choose another address",
        ) from error

"""The one public port, bound before anything starts: a taken port is known at once, and since the supervisor
keeps the socket, a restart of the edge neither loses the port nor refuses a connection. Called by `up`."""

from __future__ import annotations

import errno
import socket

from argosy.host.supervisor import procfs
from argosy.kit.errors import ArgosyError, BadRequest, Conflict

_BACKLOG = 1024


def bind(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = _resolve(host, port)
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise _explained(error, host, port) from error
    listener.setblocking(False)
    return listener


def port_of(listener: socket.socket) -> int:
    return int(listener.getsockname()[1])


def _resolve(
    host: str, port: int
) -> tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]:
    try:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except socket.gaierror as error:
        raise BadRequest(
            f"the host {host!r} has no address: {error.strerror}",
            code="host.listen",
            cure="use --host 127.0.0.1 for this machine only, or --host 0.0.0.0 for all networks",
        ) from error


def _explained(error: OSError, host: str, port: int) -> ArgosyError:
    where = f"{host} port {port}"
    if error.errno == errno.EADDRINUSE:
        holder = procfs.port_holder(port)
        return Conflict(
            f"port {port} is taken" + (f" by {holder}" if holder else " by another program"),
            code="host.port_taken",
            cure="end that program, or choose another port with --port (0 picks a free one)",
            context={"where": where},
        )
    if error.errno == errno.EACCES:
        cure = "choose a port from 1024 on with --port; lower ones are for root"
    elif error.errno == errno.EADDRNOTAVAIL:
        cure = "this machine does not have that address; use --host 127.0.0.1 or --host 0.0.0.0"
    else:
        cure = "choose another --host or --port"
    return Conflict(
        f"cannot listen: {error.strerror}", code="host.listen", cure=cure, context={"where": where}
    )

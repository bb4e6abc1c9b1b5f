"""`argosy up`: from nothing to a running platform, in the foreground or detached.

The order matters: first all that can fail for reasons outside (settings, directory, lock, certificate, port),
so that the message is short and nothing has been started; then `supervisor.supervisor` takes over.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TextIO, cast

import argosy
from argosy.host.lifecycle import chosen, datadir, detach, failures, listener, tls
from argosy.host.lifecycle.terminal import Terminal
from argosy.host.options import Plan, UpOptions, UpSettings
from argosy.host.paths import DataDir
from argosy.host.supervisor import leftovers, lock, state
from argosy.host.supervisor.logs import LogFile
from argosy.host.supervisor.preimport import preimport
from argosy.host.supervisor.report import Report
from argosy.host.supervisor.supervisor import Supervisor
from argosy.kit import log

_LOOPBACK = ("127.", "::1", "localhost")


def run(
    data: DataDir, flags: chosen.Flags, *, detached: bool, as_json: bool, load_plan: Callable[[], Plan]
) -> int:
    chosen.check_alone(flags)  # a wrong option is told before anything is touched
    datadir.prepare(data)
    lock_fd = lock.take(data.lock)
    if lock_fd is None:
        running = state.read(data.state)
        alive = running is not None and running.is_alive()
        raise failures.already_running(
            data.root, url=running.url if running and alive else "", pid=running.pid if running else 0
        )
    _finish_restore(data)
    settings = chosen.settle(data, flags)
    cert, key = tls.files(data, settings)
    public = listener.bind(settings.host, settings.port)
    chosen.keep(data, flags)
    options = _options(settings, public, cert, key)
    terminal = Terminal(data.root, as_json=as_json, foreground=not detached)
    terminal.note(f"Argosy {argosy.__version__}, data in {data.root}")
    if not cert and not settings.public_url and not settings.host.startswith(_LOOPBACK):
        terminal.note(
            f"plain HTTP on {settings.host}: passwords can be read on the way; see --tls-self-signed"
        )

    if settings.tls_self_signed and cert:
        terminal.note(f"certificate of our own: {cert} (argosy login URL --ca {cert})")

    def supervise(report: Report) -> int:
        return _supervise(data, options, load_plan, report)

    if detached:
        return detach.start(
            supervise,
            log=data.logs / "supervisor.log",
            folder=data.root,
            let_go=[lock_fd, public.detach()],
            show=terminal,
        )
    public.detach()  # from here on a number: the supervisor closes it when it begins to stop
    return supervise(terminal)


def _finish_restore(data: DataDir) -> None:
    """One that a crash cut short may still have to bring its settings, so it comes before they are read."""
    from argosy.host.backup import finish_interrupted

    finish_interrupted(data)


def _options(settings: UpSettings, public: socket.socket, cert: str, key: str) -> UpOptions:
    return UpOptions(
        host=settings.host,
        port=listener.port_of(public),
        listen_fd=public.fileno(),
        public_url=settings.public_url,
        tls_cert=cert,
        tls_key=key,
    )


def _supervise(data: DataDir, options: UpOptions, load_plan: Callable[[], Plan], report: Report) -> int:
    os.umask(0o077)
    # LogFile has the two methods of a text stream that structlog calls.
    log.configure(service="supervisor", stream=cast(TextIO, LogFile(data.logs / "supervisor.log")))
    leftovers.end(state.read(data.state), report.note)
    plan = load_plan()
    processes = plan.build_plan(data, options, report.note)
    supervisor = Supervisor(
        data,
        processes,
        url=options.url,
        listens=options.listens,
        report=report,
        preimport=lambda: preimport(plan.PREIMPORT),
        release_fds=[options.listen_fd],
    )
    return supervisor.run()

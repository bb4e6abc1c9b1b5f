"""Help for who owns the machine: a new password for somebody locked out, a link to sign in with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from argosy.contracts.identity import Identity, ResetByEmail
from argosy.host.asking import ask
from argosy.host.composition.clients import ServiceClients
from argosy.host.composition.first_run import HOST, sign_in_facts
from argosy.host.installation import Installation
from argosy.host.paths import DataDir
from argosy.host.registry import load
from argosy.host.supervisor import state
from argosy.kit.calls import service_call
from argosy.kit.errors import Unavailable
from argosy.platform.gateway.settings import GatewaySettings

T = TypeVar("T")


def reset_password(data: DataDir, email: str) -> str:
    """A one-time password. The platform must run: the change goes through `identity`, with its audit entry."""

    async def question(clients: ServiceClients) -> str:
        reset = await clients(Identity).reset_by_email(call=service_call(HOST), request=ResetByEmail(email))
        return reset.one_time_password

    return _ask_running(data, question)


def sign_in(data: DataDir) -> dict[str, str]:
    """What `argosy up` prints: a fresh single-use link, and where there is no user yet the first one's password."""
    url = _public_url(data)
    return _ask_running(data, lambda clients: sign_in_facts(clients(Identity), url))


def _ask_running(data: DataDir, question: Callable[[ServiceClients], Awaitable[T]]) -> T:
    endpoint = Installation(data).endpoint("identity")
    if endpoint.startswith("unix:") and not Path(endpoint.removeprefix("unix:")).exists():
        raise Unavailable(
            f"Argosy is not running in {data.root}",
            code="host.not_running",
            cure="start it with `argosy up`, then try again",
        )
    return ask(data, question)


def _public_url(data: DataDir) -> str:
    running = state.read(data.state)
    if running is not None and running.url:
        return running.url
    (gateway,) = load(["gateway"])
    settings = Installation(data).settings_for(gateway)
    assert isinstance(settings, GatewaySettings)
    return settings.url

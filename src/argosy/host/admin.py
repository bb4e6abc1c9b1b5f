"""Help for who owns the machine and is locked out of the platform."""

from __future__ import annotations

from argosy.contracts.identity import Identity, ResetByEmail
from argosy.host.asking import ask
from argosy.host.composition.clients import ServiceClients
from argosy.host.composition.first_run import HOST
from argosy.host.paths import DataDir
from argosy.kit.calls import service_call
from argosy.kit.errors import Unavailable


def reset_password(data: DataDir, email: str) -> str:
    """A one-time password. The platform must run: the change goes through `identity`, with its audit entry."""

    async def question(clients: ServiceClients) -> str:
        reset = await clients(Identity).reset_by_email(call=service_call(HOST), request=ResetByEmail(email))
        return reset.one_time_password

    if not data.socket("core").exists():
        raise Unavailable(
            f"Argosy is not running in {data.root}",
            code="host.not_running",
            cure="start it with `argosy up`, then try again",
        )
    return ask(data, question)

"""What `argosy up` tells the operator, and only the operator: how to sign in."""

from __future__ import annotations

from argosy.contracts.identity import Identity
from argosy.kit.calls import service_call
from argosy.kit.operations import Nothing

HOST = "host"  # the name under which this package asks the services


def sign_in_link(url: str, token: str) -> str:
    """The token stands behind #: a browser keeps it out of requests, so it lands in no log on the way."""
    return f"{url}/sign-in/link#token={token}"


async def sign_in_facts(identity: Identity, url: str) -> dict[str, str]:
    """The administrator's e-mail and a link each time; `password` only the first time."""
    made = await identity.first_run(call=service_call(HOST), request=Nothing())
    facts = {"url": url, "sign_in_link": sign_in_link(url, made.link_token), "email": made.email}
    return facts | ({"password": made.password} if made.password else {})

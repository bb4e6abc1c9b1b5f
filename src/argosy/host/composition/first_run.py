"""What `argosy up` tells the operator, and only the operator: how to sign in."""

from __future__ import annotations

from argosy.contracts.identity import Begin, Identity
from argosy.kit.calls import service_call

_REPLACED = "nobody has signed in yet: the password is a new one, and an earlier one works no longer"
HOST = "host"  # the name under which this package asks the services


def sign_in_link(url: str, token: str) -> str:
    """The token stands behind #: a browser keeps it out of requests, so it lands in no log on the way."""
    return f"{url}/sign-in/link#token={token}"


async def sign_in_facts(identity: Identity, url: str, one_time_password: str = "") -> dict[str, str]:
    """The administrator's e-mail and a link each time; `password` until somebody has signed in, where this start has one
    to give."""
    made = await identity.first_run(call=service_call(HOST), request=Begin(one_time_password))
    facts = {"url": url, "sign_in_link": sign_in_link(url, made.link_token), "email": made.email}
    facts |= {"password": made.password} if made.password else {}
    return facts | ({"notice": _REPLACED} if made.replaced else {})

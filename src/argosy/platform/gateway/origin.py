"""Is this request meant for us, from where, and does it come from our own pages? Pure decisions over headers.

The Host check stops DNS rebinding against a loopback port; the Origin check stops another site from writing with
the browser's cookie. Both matter only where a browser is involved; a key in a header needs neither.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Sequence
from urllib.parse import urlsplit

from argosy.kit.errors import BadRequest, Forbidden
from argosy.platform.gateway.settings import GatewaySettings

_NETLOC = re.compile(r"[A-Za-z0-9._-]+(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]+\](:[0-9]{1,5})?")
_WITH_PORT = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def check_host(settings: GatewaySettings, host_header: str) -> None:
    name = hostname(host_header)
    if not name:
        raise BadRequest("the Host header is missing or malformed", code="host.invalid")
    if is_own(settings, name):
        return
    if settings.host in ("0.0.0.0", "::") and not settings.public_url and _is_address(name):
        return  # bound to every address and told no name: an address cannot be rebound
    raise BadRequest(
        f"this installation is not {name[:100]!r}",
        code="host.unknown",
        cure="open it under its own URL, or start it with --public-url",
    )


def is_own(settings: GatewaySettings, name: str) -> bool:
    """Whether it is one of the platform's own names, which nobody else gets."""
    return name in {hostname(urlsplit(settings.url).netloc), settings.host} | _LOOPBACK


def check_origin(
    settings: GatewaySettings, host_header: str, origin: str | None, fetch_site: str | None
) -> None:
    """For what a cookie vouches for and that has effects or streams."""
    if origin is not None:
        own = {settings.url, f"{'https' if settings.secure else 'http'}://{host_header}"}
        if origin in own:
            return
    elif fetch_site in ("same-origin", "none"):
        return
    raise Forbidden(
        "the request comes from another site",
        code="origin.foreign",
        cure="use the platform's own pages, or an API key in the Authorization header",
    )


def client_address(peer: str, forwarded_for: Sequence[str], trusted: Collection[str]) -> str:
    """Where a request comes from. Only what a trusted proxy wrote last counts, in however many headers it stands:
    some add a header line of their own behind the client's. What is no address is not believed."""
    if peer not in trusted or not forwarded_for:
        return peer
    last = forwarded_for[-1].rsplit(",", 1)[-1].strip()
    if (parts := _WITH_PORT.fullmatch(last)) is not None:  # as some proxies write it; limits count addresses
        last = parts[1] or parts[2]
    return last if _is_address(last) else peer


def hostname(netloc: str) -> str:
    """Without port and in lower case; empty when it is none."""
    if _NETLOC.fullmatch(netloc) is None:
        return ""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".").lower()
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

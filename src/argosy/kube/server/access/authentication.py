"""Who sends a request: a client certificate, a bearer token, or nobody in particular.

A credential that is shown must be good: a bad one is refused (401), never taken for none. Part of `Access`; the kinds of
tokens are in `service_accounts`, certificates in `client_certificates`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence

from argosy.kube.errors import unauthorized
from argosy.kube.server.access.authority import Authority
from argosy.kube.server.access.client_certificates import ClientCertificates
from argosy.kube.server.access.service_accounts import ServiceAccounts
from argosy.kube.server.access.signing import BadToken
from argosy.kube.server.access.vocabulary import Reader, User, anonymous, with_authenticated
from argosy.kube.wire import Request

INVALID = "invalid bearer token"
_PROTOCOL = "base64url.bearer.authorization.k8s.io."


class Authentication:
    def __init__(
        self,
        authority: Authority,
        reader: Reader,
        *,
        tokens: Mapping[str, User],
        now: Callable[[], float],
    ) -> None:
        self._audiences = authority.audiences
        self._certificates = ClientCertificates(authority.certificate, now)
        self._accounts = ServiceAccounts(authority, reader, now)
        self._static = {_digest(token): with_authenticated(user) for token, user in tokens.items()}

    def user(self, request: Request) -> User:
        """Raises ApiError 401."""
        refused = False
        for credential in (self._by_certificate, self._by_header, self._by_protocol):
            try:
                user = credential(request)
            except BadToken:
                refused = True  # another credential of the same request may still be good
                continue
            if user is not None:
                return user
        if refused:
            raise unauthorized()
        return anonymous()

    def holder(self, token: str, audiences: Sequence[str]) -> tuple[User, tuple[str, ...]]:
        """Whose token it is and for which of the audiences. Raises BadToken."""
        user = self._static.get(_digest(token))
        common = tuple(one for one in self._audiences if one in audiences)
        if user is not None and common:
            return user, common
        found = self._accounts.holder(token, audiences)
        if found is None:
            raise BadToken(INVALID)
        return found

    def _by_certificate(self, request: Request) -> User | None:
        return self._certificates.user(request.peer) if request.peer else None

    def _by_header(self, request: Request) -> User | None:
        token = bearer(request.headers.get("authorization", ""))
        return self.holder(token, self._audiences)[0] if token else None

    def _by_protocol(self, request: Request) -> User | None:
        """Browsers cannot set headers on a WebSocket: the token is one of the offered protocols."""
        offered = request.headers.get("sec-websocket-protocol", "")
        if _PROTOCOL not in offered or request.headers.get("upgrade", "").lower() != "websocket":
            return None
        protocols = [one.strip() for one in offered.replace("\n", ",").split(",")]
        tokens = [one.removeprefix(_PROTOCOL) for one in protocols if one.startswith(_PROTOCOL)]
        if len(tokens) != 1 or len(protocols) == 1:
            raise BadToken("one token and at least one other protocol are expected")
        token = _decoded(tokens[0])
        return self.holder(token, self._audiences)[0] if token else None


def bearer(header: str) -> str:
    """The token of an Authorization header; empty when there is none."""
    scheme, _, rest = header.strip().partition(" ")
    return rest.split(" ", 1)[0] if scheme.lower() == "bearer" else ""


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError) as error:
        raise BadToken("invalid base64.bearer.authorization token encoding") from error


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()

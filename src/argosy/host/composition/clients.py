"""How one service reaches another: the object in this process, or HTTP with a token that vouches for the call."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import TypeVar

import aiohttp
import msgspec

from argosy.backends.database import in_transaction
from argosy.contracts import audit, cron, git_server, identity
from argosy.contracts.hosting import Hosted
from argosy.contracts.identity import Exchanged, Identity, ServiceCredential
from argosy.host.installation import Installation
from argosy.kit.calls import Call, Principal, service_call
from argosy.kit.errors import Internal, NotFound, Unauthenticated
from argosy.kit.operations import Operation
from argosy.kit.rpc.client import LocalService, RemoteService, Upstream, proxy
from argosy.kit.rpc.passages import Found, LocalPassage, Passage, RemotePassage
from argosy.kit.rpc.server import Answers
from argosy.kit.sockets import address
from argosy.kit.tokens import ServiceKey

T = TypeVar("T")
CONTRACTS: Mapping[type, str] = {
    identity.Identity: "identity",
    audit.Audit: "audit",
    cron.Cron: "cron",
    git_server.GitServer: "git_server",
}
_REMEMBERED_LIMIT = 50_000
_RENEW_SECONDS = 15.0


class Connections:
    """The HTTP sessions of this process: one per Unix socket, one for all URLs. Shared by its services."""

    def __init__(self) -> None:
        self._sessions: dict[str, aiohttp.ClientSession] = {}

    def to(self, endpoint: str) -> tuple[str, aiohttp.ClientSession]:
        path = endpoint.removeprefix("unix:") if endpoint.startswith("unix:") else ""
        if path not in self._sessions:
            connector = (
                aiohttp.UnixConnector(address(Path(path)), limit=200)
                if path
                else aiohttp.TCPConnector(limit=200)
            )
            self._sessions[path] = aiohttp.ClientSession(connector=connector, auto_decompress=False)
        return ("http://unix" if path else endpoint), self._sessions[path]

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()


class OutsideTransactions(Upstream):
    """Refuses to ask while the caller holds a transaction open: the other part may take long, or want the same rows."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        self._check(operation)
        return await self._upstream.call(operation, call, request)

    def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]:
        self._check(operation)
        return self._upstream.stream(operation, call, request)

    def _check(self, operation: Operation) -> None:
        if in_transaction():
            raise Internal(f"{operation.name} was asked for inside a transaction", code="call.in_transaction")


class ServiceClients:
    """What one service is given to reach the others."""

    def __init__(
        self,
        service: str,
        installation: Installation,
        local: Mapping[str, Answers],
        connections: Connections,
        key: ServiceKey,
        *,
        passages: Found = lambda _: None,
        encode: bool = False,
    ) -> None:
        self._service, self._installation, self._local = service, installation, local
        self._connections, self._key, self._encode = connections, key, encode
        self._passages = passages
        self._upstreams: dict[str, Upstream] = {}
        self._people: dict[tuple[Principal, str], Exchanged] = {}
        self._own: dict[tuple[str, str], Exchanged] = {}
        self._assertion = ("", 0.0)

    def __call__(self, contract: type[T]) -> T:
        return proxy(contract, self.upstream(CONTRACTS[contract]))

    def hosted(self, service: str) -> Hosted:
        return proxy(Hosted, self.upstream(service))

    def passage(self, service: str) -> Passage:
        if service in self._local:
            return LocalPassage(service, self._passages)
        base, session = self._connections.to(self._installation.endpoint(service))
        return RemotePassage(service, base, session, self._token)

    def upstream(self, service: str) -> Upstream:
        if service not in self._upstreams:
            self._upstreams[service] = OutsideTransactions(self._reach(service))
        return self._upstreams[service]

    def remember(self, exchanged: Exchanged, audience: str) -> None:
        if len(self._people) >= _REMEMBERED_LIMIT:
            now = time.time()
            self._people = {name: kept for name, kept in self._people.items() if kept.expires > now}
        # By all that the token says of its bearer: an answer from before a switch of accounts or a demotion may come in
        # after the one from behind it, with the same credential.
        self._people[(exchanged.principal, audience)] = exchanged

    def _reach(self, service: str) -> Upstream:
        if (here := self._local.get(service)) is not None:
            return LocalService(here, encode=self._encode)
        if service not in CONTRACTS.values():
            raise NotFound(f"nothing here can reach {service}")
        base, session = self._connections.to(self._installation.endpoint(service))
        return RemoteService(service, base, session, self._token)

    async def _token(self, call: Call, audience: str) -> str:
        who = call.principal
        if who.kind != "service":
            kept = self._people.get((who, audience))
            if kept is None or kept.expires <= time.time():
                raise Unauthenticated(f"nothing vouches for this call towards {audience}", code="auth.token")
            return kept.token
        if audience == "identity" and not who.account:
            return self._own_assertion()
        return (await self._service_token(audience, who.account)).token

    def _own_assertion(self) -> str:
        text, until = self._assertion
        if until <= time.time():
            text, until = self._key.assertion(), time.time() + 60.0 - _RENEW_SECONDS
            self._assertion = (text, until)
        return text

    async def _service_token(self, audience: str, account: str) -> Exchanged:
        kept = self._own.get((audience, account))
        if kept is None or kept.expires - _RENEW_SECONDS <= time.time():
            kept = await self(Identity).service_token(
                call=service_call(self._service), request=ServiceCredential(audience, account)
            )
            self._own[(audience, account)] = kept
        return kept

"""Signing in and out: the only answers that set the session cookie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from argosy.contracts.gateway import Accept, LoggedIn, Login, LoginLink
from argosy.contracts.identity import (
    AcceptInvitation,
    Identity,
    InvitationToken,
    RedeemLink,
    SessionCreated,
    SignIn,
)
from argosy.kit.calls import Call, service_call
from argosy.kit.operations import Nothing
from argosy.kit.web.binding import bind_body, bind_query
from argosy.platform.gateway.forward import json_response, read_body
from argosy.platform.gateway.settings import GatewaySettings

S = TypeVar("S", bound=msgspec.Struct)
_MAX_BODY = 16_384
NO_PATH: Mapping[str, str] = {}


class Sessions:
    def __init__(self, identity: Identity, settings: GatewaySettings) -> None:
        self._identity, self._settings = identity, settings

    async def login(self, request: Request, remote: str, request_id: str) -> Response:
        body = await self._body(Login, request)
        call = _call(request, remote, request_id)
        asked = SignIn(body.email, body.password, remote, call.user_agent)
        return self._signed_in(await self._identity.sign_in(call=call, request=asked))

    async def link(self, request: Request, remote: str, request_id: str) -> Response:
        body = await self._body(LoginLink, request)
        call = _call(request, remote, request_id)
        asked = RedeemLink(body.token, remote, call.user_agent)
        return self._signed_in(await self._identity.redeem_link(call=call, request=asked))

    async def accept(self, request: Request, remote: str, request_id: str) -> Response:
        body = await self._body(Accept, request)
        call = _call(request, remote, request_id)
        asked = AcceptInvitation(body.token, body.name, body.password, remote, call.user_agent)
        return self._signed_in(await self._identity.accept_invitation(call=call, request=asked))

    async def invitation(self, request: Request, remote: str, request_id: str) -> Response:
        token = bind_query(InvitationToken, NO_PATH, request.query_params.multi_items())
        call = _call(request, remote, request_id)
        return json_response(await self._identity.preview_invitation(call=call, request=token))

    async def logout(self, call: Call) -> Response:
        await self._identity.sign_out(call=call, request=Nothing())
        response = json_response(Nothing())
        response.delete_cookie(
            self._settings.cookie, path="/", secure=self._settings.secure, httponly=True, samesite="strict"
        )
        return response

    def _signed_in(self, session: SessionCreated) -> Response:
        response = json_response(LoggedIn(session.expires, session.must_change_password))
        response.set_cookie(
            self._settings.cookie,
            session.token,
            expires=session.expires,
            path="/",
            secure=self._settings.secure,
            httponly=True,
            samesite="strict",
        )
        return response

    async def _body(self, kind: type[S], request: Request) -> S:
        body = await read_body(request, _MAX_BODY, self._settings.body_seconds)
        return bind_body(kind, NO_PATH, request.headers.get("content-type", ""), body)


def _call(request: Request, remote: str, request_id: str) -> Call:
    """Nobody is signed in yet: the gateway itself asks, and says for whom."""
    call = service_call("gateway", request_id=request_id)
    return msgspec.structs.replace(
        call, remote=remote, user_agent=request.headers.get("user-agent", "")[:300]
    )

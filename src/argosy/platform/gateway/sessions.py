"""Signing in and out: the only answers that set cookies, the session's and the one by which a device is known again."""

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
from argosy.platform.gateway.asked import Asked
from argosy.platform.gateway.forward import json_response, read_body
from argosy.platform.gateway.settings import DEVICE_PATH, GatewaySettings

S = TypeVar("S", bound=msgspec.Struct)
_MAX_BODY = 16_384
_LONGEST_DEVICE = 100
NO_PATH: Mapping[str, str] = {}


class Sessions:
    def __init__(self, identity: Identity, settings: GatewaySettings) -> None:
        self._identity, self._settings = identity, settings

    async def login(self, asked: Asked) -> Response:
        body, call = await self._body(Login, asked.request), _call(asked)
        request = SignIn(body.email, body.password, asked.remote, call.user_agent, self._device(asked))
        return self._signed_in(await self._identity.sign_in(call=call, request=request))

    async def link(self, asked: Asked) -> Response:
        body, call = await self._body(LoginLink, asked.request), _call(asked)
        request = RedeemLink(body.token, asked.remote, call.user_agent, self._device(asked))
        return self._signed_in(await self._identity.redeem_link(call=call, request=request))

    async def accept(self, asked: Asked) -> Response:
        body, call = await self._body(Accept, asked.request), _call(asked)
        request = AcceptInvitation(
            body.token, body.name, body.password, asked.remote, call.user_agent, self._device(asked)
        )
        return self._signed_in(await self._identity.accept_invitation(call=call, request=request))

    async def invitation(self, asked: Asked) -> Response:
        token = bind_query(InvitationToken, NO_PATH, asked.request.query_params.multi_items())
        return json_response(await self._identity.preview_invitation(call=_call(asked), request=token))

    async def logout(self, asked: Asked) -> Response:
        await self._identity.sign_out(call=asked.signed_in.call, request=Nothing())
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
        response.set_cookie(
            self._settings.device_cookie,
            session.device,
            expires=session.device_expires,
            path=DEVICE_PATH,
            secure=self._settings.secure,
            httponly=True,
            samesite="strict",
        )
        return response

    def _device(self, asked: Asked) -> str:
        return asked.request.cookies.get(self._settings.device_cookie, "")[:_LONGEST_DEVICE]

    async def _body(self, kind: type[S], request: Request) -> S:
        body = await read_body(request, _MAX_BODY, self._settings.body_seconds)
        return bind_body(kind, NO_PATH, request.headers.get("content-type", ""), body)


def _call(asked: Asked) -> Call:
    """Nobody is signed in yet: the gateway itself asks, and says for whom."""
    call = service_call("gateway", request_id=asked.request_id)
    user_agent = asked.request.headers.get("user-agent", "")[:300]
    return msgspec.structs.replace(call, remote=asked.remote, user_agent=user_agent)

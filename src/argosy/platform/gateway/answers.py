"""The edge's own answers, one method for each row of `routes.OWN`."""

from __future__ import annotations

import msgspec
from starlette.responses import HTMLResponse, Response

from argosy import __version__
from argosy.contracts.gateway import Version
from argosy.contracts.identity import PASSWORD_SCOPE, Identity
from argosy.kit.errors import Forbidden
from argosy.kit.operations import Nothing
from argosy.kit.web.openapi import document
from argosy.platform.gateway import compatible, reference
from argosy.platform.gateway.asked import Answer, Asked
from argosy.platform.gateway.forward import json_response
from argosy.platform.gateway.routes import OWN, openapi_entries
from argosy.platform.gateway.sessions import Sessions
from argosy.platform.gateway.system import SystemPage


class OwnAnswers:
    def __init__(self, identity: Identity, sessions: Sessions, page: SystemPage, url: str) -> None:
        self._identity, self._page = identity, page
        described = document(openapi_entries(), version=__version__, url=url)
        self._description, self._readable = msgspec.json.encode(described), reference.page(described)
        self.login, self.link, self.accept = sessions.login, sessions.link, sessions.accept
        self.invitation, self.logout = sessions.invitation, sessions.logout

    def by_name(self) -> dict[str, Answer]:
        return {one.name: getattr(self, one.name) for one in OWN}

    async def authenticate(self, asked: Asked) -> Response:
        """The sub-request of a proxy in front: the status is the answer. A session that must first replace its
        one-time password opens nothing else."""
        if asked.signed_in.call.principal.scopes == (PASSWORD_SCOPE,):
            raise Forbidden(
                "the one-time password must be changed first", code="auth.password", cure="sign in on the web"
            )
        return json_response(Nothing())

    async def user(self, asked: Asked) -> Response:
        me = await self._identity.me(call=asked.signed_in.call, request=Nothing())
        return json_response(compatible.user_of(me))

    async def version(self, asked: Asked) -> Response:
        return json_response(Version(__version__))

    async def system(self, asked: Asked) -> Response:
        return await self._page.page(asked.signed_in.call)

    async def services(self, asked: Asked) -> Response:
        return await self._page.states(asked.signed_in.call)

    async def dead_letters(self, asked: Asked) -> Response:
        return await self._page.dead_letters(asked.request, asked.signed_in)

    async def replay(self, asked: Asked) -> Response:
        return await self._page.replay(asked.request, asked.signed_in)

    async def discard(self, asked: Asked) -> Response:
        return await self._page.discard(asked.request, asked.signed_in)

    async def openapi(self, asked: Asked) -> Response:
        return Response(
            self._description, media_type="application/json", headers={"cache-control": "no-cache"}
        )

    async def reference(self, asked: Asked) -> Response:
        return HTMLResponse(self._readable, headers={"cache-control": "no-cache"})

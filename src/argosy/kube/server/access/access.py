"""Everything that the API asks about rights, in one place per cluster: who is it, may they, and what do reviews answer.

The story: `authentication` (with `client_certificates` and `service_accounts`), `impersonation`, `rbac` (with `bindings`
and `policy`), `escalation`, `reviews`, `token_requests`. None of it awaits, and all of it reads the newest state.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from argosy.kube.objects import Object
from argosy.kube.server.access.authentication import Authentication
from argosy.kube.server.access.authority import Authority
from argosy.kube.server.access.escalation import check_rbac_write
from argosy.kube.server.access.impersonation import Impersonation
from argosy.kube.server.access.rbac import Rbac
from argosy.kube.server.access.refusals import refused
from argosy.kube.server.access.reviews import Reviews
from argosy.kube.server.access.token_requests import TokenRequests
from argosy.kube.server.access.vocabulary import Attributes, Reader, User
from argosy.kube.wire import Request


class Access:
    def __init__(
        self,
        authority: Authority,
        reader: Reader,
        *,
        tokens: Mapping[str, User] | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`tokens` are bearer tokens of the platform's own parts; only their digests are kept."""
        self._now = now
        self._authentication = Authentication(authority, reader, tokens=tokens or {}, now=now)
        self._rbac = Rbac(reader)
        self._impersonation = Impersonation(self._rbac)
        self._requests = TokenRequests(authority, reader)
        self._reviews = Reviews(self._authentication, self._rbac, audiences=authority.audiences, now=now)

    def authenticate(self, request: Request) -> User:
        """Raises ApiError 401 for a credential that is not good; without one it is `system:anonymous`."""
        return self._authentication.user(request)

    def impersonated(self, user: User, request: Request, asked: Attributes | None = None) -> User:
        """As whom `user` acts here. `asked` is what the request is about: some rights to impersonate depend on it."""
        return self._impersonation.user(user, request, asked)

    def decide(self, user: User, asked: Attributes) -> tuple[bool, str]:
        return self._rbac.decide(user, asked)

    def require(self, user: User, asked: Attributes) -> None:
        """Raises ApiError 403."""
        allowed, reason = self._rbac.decide(user, asked)
        if not allowed:
            raise refused(user, asked, reason)

    def check_rbac_write(self, user: User, obj: Object, old: Object | None, namespace: str) -> None:
        """Before a role or binding is stored: nobody gives away what they do not hold."""
        check_rbac_write(self._rbac, user, obj, old, namespace)

    def issue(self, request: Object, service_account: Object, bound: Object | None = None) -> Object:
        """Answers a TokenRequest. What it is to be bound to is looked up unless it is handed over."""
        return self._requests.issue(request, service_account, bound, self._now())

    def review(self, user: User, obj: Object) -> Object:
        """Answers any of the *Review kinds."""
        return self._reviews.answer(user, obj)

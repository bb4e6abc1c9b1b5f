"""Acts as somebody else, as the `Impersonate-*` headers ask: `kubectl --as`, and gateways that pass their users on.

There are five ways to be allowed it, tried in order: four that also look at what is asked (`impersonate-on:<mode>:<verb>`
on it, then `impersonate:<mode>` on each thing taken on), and the old one (`impersonate` on each). If none allows it, the
refusal is that of the first that could apply; the way that worked last for a user is tried first.
`impersonation_headers` reads what is asked for.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from argosy.kube.errors import ApiError
from argosy.kube.server.access.claims import account_of, groups_of, node_of
from argosy.kube.server.access.impersonation_headers import wanted_user
from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.access.rbac import Rbac
from argosy.kube.server.access.refusals import refused
from argosy.kube.server.access.vocabulary import (
    ANONYMOUS,
    AUTHENTICATED,
    MASTERS,
    NODE_NAME,
    NODES,
    UNAUTHENTICATED,
    Attributes,
    User,
)
from argosy.kube.wire import Request

_GROUP = "authentication.k8s.io"
_MANY = 4
"""From so many groups or extra values on, a right on all of them (`*`) is asked for first."""
_REMEMBERED = 10_000
_EXTRA_KEY = re.compile(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
)


@dataclass(frozen=True, slots=True)
class _Mode:
    name: str
    """Empty: the old way."""
    applies: Callable[[User, User], bool]

    @property
    def verb(self) -> str:
        return f"impersonate:{self.name}" if self.name else "impersonate"

    @property
    def group(self) -> str:
        """In which API group users and groups are resources."""
        return _GROUP if self.name else ""


class Impersonation:
    def __init__(self, rbac: Rbac) -> None:
        self._rbac = rbac
        self._last: OrderedDict[str, int] = OrderedDict()

    def user(self, requester: User, request: Request, asked: Attributes | None) -> User:
        """Whoever the request is to be handled as. Raises ApiError 403, or 400 without a user to act as."""
        wanted = wanted_user(request)
        if wanted is None:
            return requester
        refusal: ApiError | None = None
        for index in self._order(requester.name):
            mode = _MODES[index]
            if (mode.name and asked is None) or not mode.applies(wanted, requester):
                continue
            try:
                found = _Attempt(self._rbac, mode, requester).user(wanted, asked)
            except ApiError as error:
                refusal = refusal or error
                continue
            self._remember(requester.name, index)
            return found
        assert refusal is not None  # the old way applies to everybody
        raise refusal

    def _order(self, requester: str) -> list[int]:
        last = self._last.get(requester)
        everything = range(len(_MODES))
        return [*everything] if last is None else [last, *(one for one in everything if one != last)]

    def _remember(self, requester: str, index: int) -> None:
        self._last[requester] = index
        self._last.move_to_end(requester)
        if len(self._last) > _REMEMBERED:
            self._last.popitem(last=False)


@dataclass(frozen=True, slots=True)
class _Attempt:
    rbac: Rbac
    mode: _Mode
    requester: User

    def user(self, wanted: User, asked: Attributes | None) -> User:
        if self.mode.name and asked is not None:
            self._require(replace(asked, verb=f"impersonate-on:{self.mode.name}:{asked.verb}"))
        groups = self._name(wanted)
        if wanted.uid:
            self._take("uids", wanted.uid, group=_GROUP)
        if wanted.groups:
            self._groups(wanted.groups)
        if wanted.extra:
            self._extra(wanted)
        return replace(wanted, groups=_completed(wanted.name, wanted.groups or groups))

    def _name(self, wanted: User) -> tuple[str, ...]:
        """The groups that come with the name."""
        node = node_of(wanted.name) if self.mode.name else None
        if node is not None:
            self._take("nodes", "*" if self.mode.name == "associated-node" else node)
            return (NODES,)
        account = account_of(wanted.name)
        if account is not None:
            self._take("serviceaccounts", account[1], namespace=account[0])
            return groups_of(account[0])
        self._take("users", wanted.name)
        return ()

    def _groups(self, groups: tuple[str, ...]) -> None:
        if self.mode.name:
            if "" in groups:
                raise self._refused("groups", "", "impersonating the empty string group is not allowed")
            if MASTERS in groups:
                raise self._refused("groups", MASTERS, f"impersonating the {MASTERS} group is not allowed")
            if len(groups) >= _MANY and self._allowed("groups", "*"):
                return
        for group in groups:
            self._take("groups", group)

    def _extra(self, wanted: User) -> None:
        if self.mode.name:
            if problem := _extra_problem(wanted):
                raise self._refused("userextras", "", problem)
            many = len(wanted.extra) >= _MANY or sum(map(len, wanted.extra.values())) >= _MANY
            if many and self._allowed("userextras", "*", "*"):
                return
        for key, values in wanted.extra.items():
            for value in values:
                self._take("userextras", value, subresource=key, group=_GROUP)

    def _take(
        self,
        resource: str,
        name: str,
        *,
        namespace: str = "",
        subresource: str = "",
        group: str | None = None,
    ) -> None:
        self._require(
            Attributes(
                self.mode.verb,
                self.mode.group if group is None else group,
                "v1",
                resource,
                subresource,
                namespace,
                name,
            )
        )

    def _require(self, asked: Attributes) -> None:
        allowed, why = self.rbac.decide(self.requester, asked)
        if not allowed:
            raise refused(self.requester, asked, why)

    def _allowed(self, resource: str, name: str, subresource: str = "") -> bool:
        asked = Attributes(self.mode.verb, _GROUP, "v1", resource, subresource, name=name)
        return self.rbac.decide(self.requester, asked)[0]

    def _refused(self, resource: str, name: str, why: str) -> ApiError:
        return refused(self.requester, Attributes(self.mode.verb, _GROUP, "v1", resource, name=name), why)


def _completed(name: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    if name == ANONYMOUS:
        return groups if UNAUTHENTICATED in groups else (*groups, UNAUTHENTICATED)
    if AUTHENTICATED in groups or UNAUTHENTICATED in groups:
        return groups
    return (*groups, AUTHENTICATED)


def _extra_problem(wanted: User) -> str:
    for key, values in wanted.extra.items():
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        if not _EXTRA_KEY.fullmatch(key):
            return (
                "impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "
                f'{quoted(key)}: must be a domain-prefixed path (such as "acme.io/foo")'
            )
        if key != key.lower():
            return f"impersonating a non-lowercase key in extra is not allowed: {quoted(key)}"
        if "" in values:
            return "impersonating the empty string value in extra is not allowed"
    return ""


def _only_named(wanted: User) -> bool:
    return not (wanted.uid or wanted.groups or wanted.extra)


def _own_node(wanted: User, requester: User) -> bool:
    """A service account whose token is bound to a pod on that very node."""
    node = node_of(wanted.name)
    own = requester.extra.get(NODE_NAME, ())
    return (
        node is not None
        and _only_named(wanted)
        and account_of(requester.name) is not None
        and tuple(own) == (node,)
    )


_MODES = (
    _Mode("associated-node", _own_node),
    _Mode("arbitrary-node", lambda wanted, _: _only_named(wanted) and node_of(wanted.name) is not None),
    _Mode("serviceaccount", lambda wanted, _: _only_named(wanted) and account_of(wanted.name) is not None),
    _Mode("user-info", lambda wanted, _: node_of(wanted.name) is None and account_of(wanted.name) is None),
    _Mode("", lambda _wanted, _requester: True),
)

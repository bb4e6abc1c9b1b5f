"""What a service-account token says: the bound form that TokenRequest issues, and the older one of token Secrets.

`token_requests` writes the first, a controller the second, `service_accounts` reads both.
"""

from __future__ import annotations

import re

import msgspec

from argosy.kube.objects import Object, name_of, namespace_of, uid_of

LEGACY_ISSUER = "kubernetes/serviceaccount"
PREFIX = "system:serviceaccount:"
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_SUBDOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_OLD = "kubernetes.io/serviceaccount/"


class Reference(msgspec.Struct, frozen=True):
    name: str = ""
    uid: str = ""


class Bound(msgspec.Struct, frozen=True):
    """The claim `kubernetes.io`."""

    namespace: str = ""
    serviceaccount: Reference = Reference()
    pod: Reference | None = None
    secret: Reference | None = None
    node: Reference | None = None
    warnafter: float | None = None


class Claims(msgspec.Struct, frozen=True, rename={"kubernetes": "kubernetes.io"}):
    iss: str
    exp: float
    sub: str = ""
    jti: str = ""
    nbf: float = 0.0
    iat: float = 0.0
    aud: str | list[str] = []
    kubernetes: Bound = Bound()

    @property
    def audiences(self) -> list[str]:
        return [self.aud] if isinstance(self.aud, str) else self.aud


class LegacyClaims(
    msgspec.Struct,
    frozen=True,
    rename={
        "namespace": f"{_OLD}namespace",
        "secret": f"{_OLD}secret.name",
        "account": f"{_OLD}service-account.name",
        "uid": f"{_OLD}service-account.uid",
    },
):
    iss: str
    sub: str = ""
    aud: str | list[str] = []
    exp: float | None = None
    nbf: float = 0.0
    namespace: str = ""
    secret: str = ""
    account: str = ""
    uid: str = ""


def legacy_claims(service_account: Object, secret: Object) -> Object:
    """For whoever fills Secrets of type `kubernetes.io/service-account-token`: what to have signed."""
    namespace, name = namespace_of(service_account), name_of(service_account)
    return {
        "iss": LEGACY_ISSUER,
        "sub": user_name(namespace, name),
        f"{_OLD}namespace": namespace,
        f"{_OLD}secret.name": name_of(secret),
        f"{_OLD}service-account.name": name,
        f"{_OLD}service-account.uid": uid_of(service_account),
    }


def user_name(namespace: str, name: str) -> str:
    return f"{PREFIX}{namespace}:{name}"


def account_of(user: str) -> tuple[str, str] | None:
    """Namespace and name, if `user` is a service account's user name."""
    namespace, colon, name = user.removeprefix(PREFIX).partition(":")
    if not user.startswith(PREFIX) or not colon:
        return None
    return (namespace, name) if _LABEL.fullmatch(namespace) and _SUBDOMAIN.fullmatch(name) else None


def node_of(user: str) -> str | None:
    """The node, if `user` is a node's user name."""
    name = user.removeprefix("system:node:")
    return name if user.startswith("system:node:") and _SUBDOMAIN.fullmatch(name) else None


def groups_of(namespace: str) -> tuple[str, ...]:
    """Of each service account in the namespace."""
    return ("system:serviceaccounts", f"system:serviceaccounts:{namespace}")

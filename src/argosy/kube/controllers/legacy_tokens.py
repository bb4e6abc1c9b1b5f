"""Fills Secrets of type `kubernetes.io/service-account-token` with a token of the account that they name, and removes those whose account
is gone.

The token is asked for like any other (TokenRequest), bound to its Secret and good for as long as that lies there.
"""

from __future__ import annotations

import base64

from argosy.kube.objects import Object, annotations_of, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import SECRET, SERVICE_ACCOUNT

_TYPE = "kubernetes.io/service-account-token"
_NAME, _UID = "kubernetes.io/service-account.name", "kubernetes.io/service-account.uid"
_LONGEST = 1 << 32


class LegacyTokens:
    def __init__(self, place: Workplace, certificate: str) -> None:
        self._place, self._certificate = place, certificate
        self._accounts = place.copies.of(SERVICE_ACCOUNT)
        self._secrets = place.copies.part_of(SECRET, f"type={_TYPE}")
        self.loop = Loop("legacy-token", self._look)
        self.loop.follow(self._secrets)
        self._accounts.on_change(self._account_changed)

    def _account_changed(self, before: Object | None, after: Object | None) -> None:
        account = after or before or {}
        if before is not None and after is not None:
            return
        for secret in self._secrets.in_namespace(namespace_of(account)):
            if annotations_of(secret).get(_NAME) == name_of(account):
                self.loop.add_object(secret)

    async def _look(self, name: Name) -> None:
        secret = self._secrets.get(name[1], name[0])
        if secret is None or "deletionTimestamp" in secret["metadata"]:
            return
        wanted = annotations_of(secret).get(_NAME, "")
        account = await self._place.client.find(SERVICE_ACCOUNT, wanted, name[0]) if wanted else None
        known = annotations_of(secret).get(_UID)
        if account is None or (known and known != uid_of(account)):
            await self._place.delete(secret)
            return
        await self._fill(secret, account)

    async def _fill(self, secret: Object, account: Object) -> None:
        data = dict(secret.get("data") or {})
        wanted = {
            **data,
            "ca.crt": data.get("ca.crt") or _encoded(self._certificate),
            "namespace": data.get("namespace") or _encoded(namespace_of(secret)),
        }
        if not data.get("token"):
            wanted["token"] = _encoded(await self._token(secret, account))
        annotations = {**annotations_of(secret), _UID: uid_of(account)}
        if wanted != data or annotations != annotations_of(secret):
            metadata = {**secret["metadata"], "annotations": annotations}
            await self._place.replace({**secret, "metadata": metadata, "data": wanted})

    async def _token(self, secret: Object, account: Object) -> str:
        bound = {"apiVersion": "v1", "kind": "Secret", "name": name_of(secret), "uid": uid_of(secret)}
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": _LONGEST, "boundObjectRef": bound},
        }
        answer = await self._place.client.create(
            request, namespace=namespace_of(account), name=name_of(account), subresource="token"
        )
        return str(answer["status"]["token"])


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def make(place: Workplace, certificate: str) -> Loop:
    return LegacyTokens(place, certificate).loop

"""Each namespace has a service account `default`, and gets it back."""

from __future__ import annotations

from argosy.kube.controllers.pods.making import is_terminating_namespace
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import NAMESPACE, SERVICE_ACCOUNT

_DEFAULT = "default"


class ServiceAccounts:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._namespaces, self._accounts = place.copies.of(NAMESPACE), place.copies.of(SERVICE_ACCOUNT)
        self.loop = Loop("serviceaccount", self._look, reads=(self._accounts,))
        self.loop.follow(self._namespaces)
        self._accounts.on_change(self._account_changed)

    def _account_changed(self, before: Object | None, after: Object | None) -> None:
        if after is None and before is not None and before["metadata"]["name"] == _DEFAULT:
            self.loop.add(("", namespace_of(before)))

    async def _look(self, name: Name) -> None:
        namespace = self._namespaces.get(name[1])
        if namespace is None or (namespace.get("status") or {}).get("phase") != "Active":
            return
        if self._accounts.get(_DEFAULT, name[1]) is not None:
            return
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": _DEFAULT, "namespace": name[1]},
        }
        try:
            await self._place.create(account)
        except ApiError as error:
            if error.reason != "AlreadyExists" and not is_terminating_namespace(error):
                raise


def make(place: Workplace) -> Loop:
    return ServiceAccounts(place).loop

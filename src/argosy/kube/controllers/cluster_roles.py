"""Aggregated ClusterRoles: their rules are those of all roles that their selectors find."""

from __future__ import annotations

from argosy.kube.objects import Object, labels_of, name_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLUSTER_ROLE
from argosy.kube.reconcile.selecting import selects


def rules(role: Object, roles: list[Object]) -> list[Object]:
    """Pure. Each rule once, by the order of the roles' names."""
    selectors = (role.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
    found: list[Object] = []
    for selector in selectors:
        for one in sorted(roles, key=name_of):
            if name_of(one) != name_of(role) and selects(selector, labels_of(one)):
                found.extend(rule for rule in one.get("rules") or () if rule not in found)
    return found


class ClusterRoles:
    def __init__(self, place: Workplace) -> None:
        self._place, self._roles = place, place.copies.of(CLUSTER_ROLE)
        self.loop = Loop("clusterrole-aggregation", self._look, reads=(self._roles,))
        self._roles.on_change(self._changed)

    def _changed(self, before: Object | None, after: Object | None) -> None:
        for role in self._roles:
            if role.get("aggregationRule"):
                self.loop.add_object(role)

    async def _look(self, name: Name) -> None:
        role = self._roles.get(name[1])
        if role is None or not role.get("aggregationRule"):
            return
        wanted = rules(role, list(self._roles))
        if wanted != (role.get("rules") or []):
            await self._place.patch(role, {"rules": wanted})


def make(place: Workplace) -> Loop:
    return ClusterRoles(place).loop

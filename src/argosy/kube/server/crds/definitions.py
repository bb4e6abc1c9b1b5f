"""The CRDs of a cluster as they are now, decoded once for each revision. `lifecycle` looks at each several times for every change, and some
are huge."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.objects import Key, Object
from argosy.kube.server.crds.crd_rules import unevaluated
from argosy.kube.server.crds.definition import COLLECTION
from argosy.kube.server.store import Store
from argosy.kube.server.view import decoded


class Definitions:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._decoded: dict[str, tuple[int, Object]] = {}
        """By name, with the revision."""
        self._unevaluated: dict[str, tuple[object, list[str]]] = {}
        """By name, with the spec that it was found in."""

    def latest(self, name: str) -> Object | None:
        """Not to be changed."""
        found = self._store.latest(Key(COLLECTION, "", name))
        if found is None:
            self._decoded.pop(name, None)
            self._unevaluated.pop(name, None)
            return None
        revision, crd = self._decoded.get(name, (0, {}))
        if revision == found.revision:
            return crd
        spec, crd = crd.get("spec"), decoded(found)
        if spec is not None and spec == crd.get("spec"):
            crd["spec"] = spec  # so that one can see that it is the same
        self._decoded[name] = found.revision, crd
        return crd

    def all(self) -> Iterator[Object]:
        return (crd for one in self._store.list(COLLECTION) if (crd := self.latest(one.key.name)) is not None)

    def unevaluated(self, name: str) -> list[str]:
        """The paths of rules in CEL that are kept but not run. Most definitions have none, which a look at their bytes tells."""
        found, crd = self._store.latest(Key(COLLECTION, "", name)), self.latest(name)
        if found is None or crd is None or b"x-kubernetes-validations" not in found.body:
            return []
        spec, paths = self._unevaluated.get(name, (None, []))
        if spec is not crd.get("spec"):
            paths = unevaluated(crd)
            self._unevaluated[name] = crd.get("spec"), paths
        return paths

"""Random families of objects, deleted in every way: when the garbage collector rests, exactly those are left that a model of
ten lines leaves, with exactly the owners that are left."""

from __future__ import annotations

import random
import secrets
import urllib.error
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.conformance.kube.live import Embedded, until

HELD = "tests.example/held"
POLICIES = ("Background", "Foreground", "Orphan")


@dataclass
class Family:
    """The model: who is there, and whom each has for owners."""

    owners: dict[str, set[str]] = field(default_factory=dict)

    def delete(self, name: str, policy: str) -> None:
        del self.owners[name]
        if policy == "Orphan":
            for others in self.owners.values():
                others.discard(name)
            return
        while lost := [
            one for one, others in self.owners.items() if others and not others & self.owners.keys()
        ]:
            for one in lost:
                del self.owners[one]
        for others in self.owners.values():
            others.intersection_update(self.owners)


class Real:
    """The same family in a cluster."""

    def __init__(self, cluster: Embedded, namespace: str) -> None:
        self._cluster, self._path = cluster, f"/api/v1/namespaces/{namespace}/configmaps"
        self._uids: dict[str, str] = {}
        self.held: set[str] = set()

    def create(self, name: str, owners: set[str], *, held: bool, blocks: bool) -> None:
        references = [
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "name": one,
                "uid": self._uids[one],
                "blockOwnerDeletion": blocks,
            }
            for one in sorted(owners)
        ]
        metadata = {"name": name, "ownerReferences": references, "finalizers": [HELD] if held else []}
        made = self._cluster.ask("POST", self._path, {"metadata": metadata})
        self._uids[name] = made["metadata"]["uid"]
        if held:
            self.held.add(name)

    def delete(self, name: str, policy: str) -> None:
        self._cluster.ask("DELETE", f"{self._path}/{name}", {"propagationPolicy": policy})

    def family(self) -> dict[str, set[str]]:
        """As it is now; whoever is going and only held by us is let go."""
        found = self._objects()
        for name, metadata in found.items():
            if "deletionTimestamp" in metadata and HELD in metadata.get("finalizers", []):
                self._let_go(name, metadata)
        gone = self.held - found.keys()
        assert not gone, f"{gone} had a finalizer that nobody took away"
        return {
            name: {one["name"] for one in metadata.get("ownerReferences", [])}
            for name, metadata in found.items()
        }

    def _objects(self) -> dict[str, Any]:
        items = self._cluster.ask("GET", self._path)["items"]
        return {
            one["metadata"]["name"]: one["metadata"]
            for one in items
            if one["metadata"]["name"] != "kube-root-ca.crt"
        }

    def _let_go(self, name: str, metadata: Any) -> None:
        kept = [one for one in metadata["finalizers"] if one != HELD]
        version = metadata["resourceVersion"]
        body = {"metadata": {**metadata, "finalizers": kept, "resourceVersion": version}}
        self.held.discard(name)
        try:
            self._cluster.ask("PUT", f"{self._path}/{name}", body)
        except urllib.error.HTTPError as error:
            assert error.code == 409, error  # the collector was faster: once more, then
            self.held.add(name)


def play(cluster: Embedded, namespace: str, seed: int) -> None:
    dice = random.Random(seed)
    model, real = Family(), Real(cluster, namespace)
    for number in range(dice.randrange(4, 14)):
        name = f"c{number}"
        owners = set(
            dice.sample(sorted(model.owners), k=min(len(model.owners), dice.choice([0, 1, 1, 2, 3])))
        )
        real.create(name, owners, held=dice.random() < 0.2, blocks=dice.random() < 0.7)
        model.owners[name] = owners
    while model.owners:
        name, policy = dice.choice(sorted(model.owners)), dice.choice(POLICIES)
        model.delete(name, policy)
        real.delete(name, policy)
        until(
            lambda: real.family() == model.owners, what=f"seed {seed}: {name}, {policy}: never {model.owners}"
        )
        rest(real)
        assert real.family() == model.owners, (seed, name, policy)


def rest(real: Real) -> None:
    """The collector has looked at everything there was when a pair that comes last is gone."""
    real.create("sentinel", set(), held=False, blocks=False)
    real.create("sentinel-child", {"sentinel"}, held=False, blocks=False)
    real.delete("sentinel", "Background")
    until(
        lambda: not {"sentinel", "sentinel-child"} & real.family().keys(), what="the collector does nothing"
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exactly_those_are_left_who_have_an_owner_or_never_had_one(
    embedded: Embedded, namespace: str, seed: int
) -> None:
    play(embedded, namespace, seed)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_same_holds_for_many_families(embedded: Embedded, namespace: str) -> None:
    for _ in range(60):
        play(embedded, namespace, secrets.randbits(32))

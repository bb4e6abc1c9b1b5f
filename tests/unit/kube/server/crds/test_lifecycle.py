"""From a CRD in the store to a kind in the registry, and back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from argosy.kube.objects import Key, Object
from argosy.kube.server.crds import COLLECTION, Crds
from argosy.kube.server.crds.definition import FINALIZER, condition
from argosy.kube.server.registry import Registry, Served
from argosy.kube.server.store import Store
from argosy.kube.server.view import View, decoded
from argosy.kube.server.writer import Writer
from tests.unit.kube.server.crds.definitions import RULES, created, definition, of_versions, spec_of, taken

SECONDS = 5


@dataclass
class Cluster:
    """Only what CRDs need of one."""

    store: Store
    registry: Registry
    writer: Writer
    crds: Crds

    async def create(self, crd: Object) -> None:
        obj = taken(crd)
        await self.writer.put(Key(COLLECTION, "", obj["metadata"]["name"]), obj)
        await self.crds.taken(obj["metadata"]["name"])

    async def change(self, name: str, change: Callable[[Object], None]) -> None:
        obj, old = self.crd(name), self.crd(name)
        change(obj)
        RULES.default(obj)
        RULES.prepare_update(obj, old)
        await self.writer.put(Key(COLLECTION, "", name), obj)
        await self.crds.taken(obj["metadata"]["name"])

    async def delete(self, name: str) -> None:
        obj = self.crd(name)
        obj["metadata"] |= {"deletionTimestamp": "2024-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}
        RULES.prepare_deletion(obj)
        await self.writer.put(Key(COLLECTION, "", name), obj)
        await self.crds.taken(obj["metadata"]["name"])

    async def put(self, served: Served, name: str, **body: Any) -> None:
        obj, _ = created(served, {"metadata": {"name": name, **body.pop("metadata", {})}, **body})
        await self.writer.put(Key(served.collection, "default", name), served.to_stored(obj))

    def crd(self, name: str) -> Object:
        found = self.store.latest(Key(COLLECTION, "", name))
        assert found is not None
        return decoded(found)

    def says(self, name: str, kind: str) -> tuple[str, str, str]:
        found = condition(self.crd(name), kind) or {}
        return found.get("status", ""), found.get("reason", ""), found.get("message", "")

    def served(self, plural: str = "widgets", version: str = "v1") -> Served:
        found = self.registry.find("example.com", version, plural)
        assert found is not None
        return found

    async def until(self, holds: Callable[[], bool], collection: str) -> None:
        """Follows what is written there until it is so."""
        changes = self.store.changes(collection, self.store.revision)
        async with asyncio.timeout(SECONDS):
            while not holds():
                await changes.next(SECONDS)


@asynccontextmanager
async def cluster(path: Path | None = None) -> AsyncIterator[Cluster]:
    store = await Store.open(path)
    writer, registry = Writer(store, View(store)), Registry()
    made = Cluster(store, registry, writer, Crds(store, registry, writer))
    await made.crds.open()
    try:
        yield made
    finally:
        await made.crds.aclose()
        await store.close()


def test_a_definition_is_served_as_soon_as_its_names_are_accepted() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            watch = one.store.changes(COLLECTION, 0)
            crd = definition(spec_of(size={"type": "integer"}), subresources={"status": {}, "scale": SCALE})
            crd["spec"]["names"] |= {"shortNames": ["wd"], "categories": ["all"]}
            await one.create(crd)

            assert one.says("widgets.example.com", "NamesAccepted")[:2] == ("True", "NoConflicts")
            assert one.says("widgets.example.com", "Established")[:2] == ("True", "InitialNamesAccepted")
            resource = one.served().resource
            assert (resource.kind.kind, resource.singular, resource.namespaced) == ("Widget", "widget", True)
            assert (resource.short_names, resource.categories) == (("wd",), ("all",))
            assert set(resource.subresources) == {"status", "scale"}
            seen = [decoded_conditions(change.body) for change in watch.ready()]
            assert seen == [{}, {"NamesAccepted": "True", "Established": "False"}, ALL_TRUE]

    asyncio.run(scenario())


SCALE = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
ALL_TRUE = {"NamesAccepted": "True", "Established": "True"}


def decoded_conditions(body: bytes | None) -> dict[str, str]:
    assert body is not None
    found = msgspec.json.decode(body)["status"].get("conditions") or ()
    return {one["type"]: one["status"] for one in found}


def test_a_name_that_is_taken_is_refused_until_it_is_free() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            await one.create(definition())
            await one.create(definition(name="gadgets", kind="Widget"))

            told = ("False", "ListKindConflict", '"WidgetList" is already in use')
            assert one.says("gadgets.example.com", "NamesAccepted") == told
            assert one.says("gadgets.example.com", "Established")[:2] == ("False", "NotAccepted")
            assert one.registry.find("example.com", "v1", "gadgets") is None

            await one.delete("widgets.example.com")
            await one.until(lambda: one.says("gadgets.example.com", "Established")[0] == "True", COLLECTION)
            assert one.served("gadgets").resource.kind.kind == "Widget"
            assert one.registry.find("example.com", "v1", "widgets") is None

    asyncio.run(scenario())


def test_a_changed_schema_holds_at_once_and_for_what_is_stored() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            await one.create(definition(spec_of(a={"type": "string"}, b={"type": "string"})))
            before = one.served()
            await one.put(before, "x", spec={"a": "1", "b": "2"})
            generation = one.registry.generation

            def narrow(crd: Object) -> None:
                crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = spec_of(
                    a={"type": "string"}, c={"type": "string", "default": "new"}
                )

            await one.change("widgets.example.com", narrow)
            now = one.served()
            assert one.registry.generation > generation
            stored = one.store.get(Key(now.collection, "default", "x"))
            assert stored is not None
            assert stored.revision < now.since
            assert now.from_stored(decoded(stored))["spec"] == {"a": "1", "c": "new"}

    asyncio.run(scenario())


def test_a_status_that_changes_makes_nothing_anew() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            await one.create(definition())
            before, generation = one.served(), one.registry.generation
            crd = one.crd("widgets.example.com")
            crd["metadata"]["labels"] = {"a": "b"}
            await one.writer.put(Key(COLLECTION, "", "widgets.example.com"), crd)
            await one.crds.taken(crd["metadata"]["name"])
            assert one.served() is before
            assert one.registry.generation == generation

    asyncio.run(scenario())


def test_a_deleted_definition_takes_its_objects_along_and_waits_for_those_that_are_held() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            await one.create(definition())
            served = one.served()
            await one.put(served, "free")
            await one.put(served, "held", metadata={"finalizers": ["example.com/hold"]})

            await one.delete("widgets.example.com")
            await one.until(lambda: one.store.count(served.collection) == 1, served.collection)
            held = Key(served.collection, "default", "held")
            await one.until(lambda: "deletionTimestamp" in at(one.store, held)["metadata"], served.collection)
            assert one.says("widgets.example.com", "Terminating")[:2] == (
                "True",
                "InstanceDeletionInProgress",
            )
            assert FINALIZER in one.crd("widgets.example.com")["metadata"]["finalizers"]
            with pytest.raises(
                Exception, match="create not allowed while custom resource definition is terminating"
            ):
                created(one.served(), {})

            await one.writer.remove(held, at(one.store, held))
            await one.until(lambda: not one.store.count(COLLECTION), COLLECTION)
            assert one.registry.find("example.com", "v1", "widgets") is None

    asyncio.run(scenario())


def at(store: Store, key: Key) -> Object:
    found = store.get(key)
    assert found is not None
    return decoded(found)


def test_what_was_under_way_is_taken_up_after_a_restart(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with cluster(tmp_path / "objects.db") as one:
            await one.create(definition())
            await one.put(one.served(), "held", metadata={"finalizers": ["example.com/hold"]})
            await one.create(definition(name="gadgets", kind="Gadget"))
            crd = taken(definition(name="parts", kind="Part"))
            await one.writer.put(Key(COLLECTION, "", "parts.example.com"), crd)  # and then the power failed
            await one.delete("widgets.example.com")

        async with cluster(tmp_path / "objects.db") as one:
            assert one.served("gadgets").custom
            assert one.served("parts").custom
            held = Key("widgets.example.com", "default", "held")
            await one.writer.remove(held, at(one.store, held))
            await one.until(lambda: one.store.count(COLLECTION) == 2, COLLECTION)

    asyncio.run(scenario())


def test_versions_differ_in_name_and_schema() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            old, new = spec_of(a={"type": "string"}), spec_of(a={"type": "string"}, b={"type": "string"})
            await one.create(
                of_versions(
                    {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": old}},
                    {
                        "name": "v1beta1",
                        "served": True,
                        "storage": False,
                        "deprecated": True,
                        "schema": {"openAPIV3Schema": new},
                    },
                    {"name": "v2", "served": False, "storage": False, "schema": {"openAPIV3Schema": new}},
                )
            )
            stable, beta = one.served(), one.served(version="v1beta1")
            assert one.registry.find("example.com", "v2", "widgets") is None
            assert stable.as_stored
            assert not beta.as_stored
            await one.put(beta, "x", spec={"a": "1", "b": "2"})
            stored = at(one.store, Key("widgets.example.com", "default", "x"))
            assert (stored["apiVersion"], stored["spec"]) == ("example.com/v1", {"a": "1"})
            assert beta.from_stored(stored)["apiVersion"] == "example.com/v1beta1"
            told = "example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget"
            assert (stable.deprecated, beta.deprecated) == ("", told)

    asyncio.run(scenario())


def test_rules_that_are_not_evaluated_are_told() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            ruled = {
                **spec_of(a={"type": "string"}),
                "x-kubernetes-validations": [
                    {"rule": "self.spec.a != ''"},
                    {"rule": "!format.dns1123Label().validate(self.spec.a).hasValue()"},
                ],
            }
            await one.create(definition(ruled))
            path = "spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[1]"
            told = ("False", "NotSupported", f"not evaluated by this cluster: {path}")
            assert one.says("widgets.example.com", "ValidationRulesEvaluated") == told
            assert RULES.warnings(one.crd("widgets.example.com"), None) == [
                f"{path}: a rule is stored but not evaluated by this cluster"
            ]
            assert one.served().custom

    asyncio.run(scenario())


def test_a_definition_of_a_built_in_kind_takes_nothing_away() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            await one.create(definition())
            built_in = replace(one.served(), custom=False)
            await one.crds.gone("widgets.example.com")
            one.registry.add(built_in)

            await one.change("widgets.example.com", lambda crd: crd["spec"]["names"].update(shortNames=["w"]))
            assert one.served() is built_in
            await one.crds.gone("widgets.example.com")
            assert one.served() is built_in

    asyncio.run(scenario())


def test_a_group_of_kubernetes_needs_its_approval() -> None:
    async def scenario() -> None:
        async with cluster() as one:
            crd = definition()
            crd["spec"]["group"], crd["metadata"]["name"] = "example.k8s.io", "widgets.example.k8s.io"
            crd["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, a test"}
            await one.create(crd)
            told = one.says("widgets.example.k8s.io", "KubernetesAPIApprovalPolicyConformant")
            assert told == ("False", "UnapprovedAnnotation", 'not approved: "unapproved, a test"')

    asyncio.run(scenario())

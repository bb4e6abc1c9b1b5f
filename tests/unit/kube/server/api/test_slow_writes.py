"""Definitions as large as those of Argo CD are checked beside the loop, and no write is lost or mixed up by it."""

from __future__ import annotations

import asyncio
import threading

from argosy.kube.objects import Object
from argosy.kube.server.crds.crd_rules import CrdRules
from tests.unit.kube.server.api.serving import server

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MERGE = "application/merge-patch+json"


def huge() -> Object:
    fields = {
        f"field{at}": {"type": "object", "properties": {"name": {"type": "string"}}} for at in range(1500)
    }
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [
                {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
            ],
        },
    }


async def test_others_are_served_while_a_huge_definition_is_checked(tmp_path, monkeypatch):
    cluster = await server(tmp_path)
    begun, go_on = asyncio.Event(), threading.Event()
    loop, check = asyncio.get_running_loop(), CrdRules.check

    def held(self, obj):
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(10)
        return check(self, obj)

    monkeypatch.setattr(CrdRules, "check", held)
    creating = asyncio.ensure_future(cluster.ask("POST", CRDS, huge()))
    await begun.wait()
    status, _ = await cluster.ask("GET", "/api/v1/namespaces/default")
    go_on.set()

    assert status == 200
    assert (await creating)[0] == 201


async def test_a_write_that_was_overtaken_begins_anew(tmp_path):
    cluster = await server(tmp_path)
    await cluster.ask("POST", CRDS, huge())
    path = f"{CRDS}/widgets.example.com"

    answers = await asyncio.gather(
        *(
            cluster.ask("PATCH", path, {"metadata": {"labels": {f"label{at}": "x"}}}, media=MERGE)
            for at in range(4)
        )
    )
    _, found = await cluster.ask("GET", path)

    assert [status for status, _ in answers] == [200] * 4
    assert found["metadata"]["labels"] == {f"label{at}": "x" for at in range(4)}


async def test_of_two_replacements_of_one_version_the_second_is_a_conflict(tmp_path):
    cluster = await server(tmp_path)
    _, made = await cluster.ask("POST", CRDS, huge())
    path = f"{CRDS}/widgets.example.com"

    answers = await asyncio.gather(
        *(
            cluster.ask("PUT", path, {**made, "metadata": {**made["metadata"], "labels": {"by": name}}})
            for name in ("one", "other")
        )
    )

    assert sorted(status for status, _ in answers) == [200, 409]


async def test_of_two_creations_one_is_told_that_it_exists(tmp_path):
    cluster = await server(tmp_path)

    answers = await asyncio.gather(*(cluster.ask("POST", CRDS, huge()) for _ in range(2)))

    assert sorted(status for status, _ in answers) == [201, 409]

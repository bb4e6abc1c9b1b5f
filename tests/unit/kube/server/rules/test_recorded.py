"""What a real API server said to objects of every kind, good and bad ones, and what our rules say to them.

`recorded.jsonl` holds its answers (v1.36): causes with their words, and for a valid object what became of it. What Go leaves out of JSON
because it is zero counts as absent on both sides; the order in which it walks maps is random, so causes are compared sorted.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest

from argosy.kube.server.rules import rules_for
from argosy.kube.types import pinned

_LINES = [json.loads(line) for line in (Path(__file__).parent / "recorded.jsonl").read_text().splitlines()]
BASES = {line["base"]: line["object"] for line in _LINES if "base" in line}
CASES = [line for line in _LINES if "base" not in line]
RESOURCES = {one.group_resource: one for one in pinned().resources}


def _name(case) -> str:
    fields = ",".join(sorted({cause[2] for cause in case["causes"]})) or "valid"
    return f"{case['operation']}-{case['resource']}-{fields[:60]}"


def _without_zero(value):
    if isinstance(value, dict):
        kept = {key: _without_zero(one) for key, one in value.items()}
        return {key: one for key, one in kept.items() if one or (isinstance(one, str) and one)}
    return [_without_zero(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_the_rules_say_what_the_api_server_said(case):
    rules = rules_for(RESOURCES[case["resource"]])
    new = copy.deepcopy(case["new"])
    old = _stored(case["resource"]) if case["operation"] == "update" else None

    rules.default(new)
    if old is None:
        rules.prepare_create(new)
        causes = rules.validate(new)
    else:
        rules.prepare_update(new, old)
        causes = rules.validate_update(new, old)

    assert sorted(map(list, causes)) == sorted(case["causes"])
    if not causes:
        assert sorted(rules.warnings(new, old)) == sorted(case.get("warnings", []))
    if "object" in case:
        assert _without_zero(new) == _without_zero(case["object"])


def _stored(resource: str):
    rules = rules_for(RESOURCES[resource])
    old = copy.deepcopy(BASES[resource])
    rules.default(old)
    rules.prepare_create(old)
    old["metadata"]["resourceVersion"] = "5"
    return old


@pytest.mark.parametrize("resource", BASES)
def test_a_plain_object_of_each_kind_is_valid_or_says_the_one_thing_it_lacks(resource):
    rules = rules_for(RESOURCES[resource])
    fields = {cause.field for cause in rules.validate(_stored(resource))}

    assert fields == ({"spec.request"} if resource.startswith("certificatesigning") else set())


@pytest.mark.parametrize("resource", BASES)
def test_writing_an_object_back_as_it_was_changes_nothing(resource):
    rules = rules_for(RESOURCES[resource])
    old = _stored(resource)
    new = copy.deepcopy(old)

    rules.default(new)
    rules.prepare_update(new, old)

    assert new == old
    assert [cause for cause in rules.validate_update(new, old) if cause.field != "spec.request"] == []


@pytest.mark.parametrize("resource", RESOURCES)
def test_every_built_in_kind_takes_an_object_with_nothing_in_it(resource):
    rules = rules_for(RESOURCES[resource])
    obj = {"apiVersion": "v1", "kind": "X", "metadata": {"name": "web"}}
    old = copy.deepcopy(obj)

    rules.default(obj)
    rules.prepare_create(obj)
    rules.validate(obj)
    rules.warnings(obj, None)
    rules.fields(obj)
    rules.prepare_update(obj, old)
    rules.validate_update(obj, old)
    rules.prepare_status(obj, old)
    rules.validate_status(obj, old)

    assert obj["metadata"]["name"] == "web"

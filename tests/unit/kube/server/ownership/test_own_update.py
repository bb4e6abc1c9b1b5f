"""Ownership after creates, updates and patches, and what clients may do to it by themselves."""

from __future__ import annotations

import copy

import pytest

from argosy.kube.objects import Object
from argosy.kube.server.ownership import admit_managed_fields, apply, keep_times, own_update
from argosy.kube.server.patches import json_patch, merge_patch
from tests.unit.kube.server.ownership.samples import (
    CONFIG_MAP,
    DEPLOYMENT,
    LATER,
    NOW,
    SCHEMA,
    THEN,
    bare,
    config_map,
    deployment,
    owned,
    thing,
    times,
)


def created(obj: Object, manager: str = "maker", *, time: str = THEN) -> Object:
    made = copy.deepcopy(obj)
    own_update(made, None, SCHEMA, manager=manager, time=time)
    return made


def updated(
    old: Object, spec: Object | None = None, manager: str = "writer", *, subresource: str = "", **more: object
) -> Object:
    new = copy.deepcopy(old) | copy.deepcopy(more)
    new["spec"] = {**new.get("spec", {}), **(spec or {})}
    own_update(new, old, SCHEMA, manager=manager, subresource=subresource, time=NOW)
    return new


def test_the_creator_owns_everything_but_the_identity() -> None:
    made = created(thing({"text": "1", "map": {"a": "1"}, "items": [{"id": 1}]}))

    assert owned(made) == {
        "maker (Update)": {
            "f:spec": {
                ".": {},
                "f:items": {".": {}, 'k:{"id":1,"kind":"K"}': {".": {}, "f:id": {}}},
                "f:map": {".": {}, "f:a": {}},
                "f:text": {},
            }
        }
    }
    assert times(made) == {"maker (Update)": THEN}


def test_what_go_writes_into_every_object_of_a_type_belongs_to_nobody() -> None:
    made = deployment(
        replicas=1,
        selector={"matchLabels": {"app": "web"}},
        strategy={},
        template={
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx", "resources": {}}]},
        },
    )
    made["status"] = {}

    own_update(made, None, DEPLOYMENT, manager="kubectl-create", time=NOW)

    assert owned(made)["kubectl-create (Update)"] == {
        "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": {
                "f:metadata": {"f:labels": {".": {}, "f:app": {}}},
                "f:spec": {
                    "f:containers": {
                        'k:{"name":"web"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}
                    }
                },
            },
        }
    }


def test_a_writer_owns_what_it_changed_and_its_former_owner_does_not() -> None:
    made = created(thing({"text": "1", "number": 1}))

    new = updated(made, {"text": "2"})

    assert owned(new) == {
        "maker (Update)": {"f:spec": {".": {}, "f:number": {}}},
        "writer (Update)": {"f:spec": {"f:text": {}}},
    }
    assert times(new) == {"maker (Update)": THEN, "writer (Update)": NOW}


def test_a_writer_keeps_what_it_wrote_before() -> None:
    once = updated(created(thing({"text": "1", "number": 1})), {"text": "2"})

    assert owned(updated(once, {"number": 2}))["writer (Update)"] == {
        "f:spec": {"f:number": {}, "f:text": {}}
    }


def test_a_write_that_changes_nothing_owns_nothing_and_moves_no_time() -> None:
    made = created(thing({"text": "1"}))

    assert updated(made, {"text": "1"}) == made


def test_what_is_gone_has_no_owner() -> None:
    made = created(thing({"text": "1", "items": [{"id": 1}, {"id": 2}], "map": {"a": "1"}}))
    new = copy.deepcopy(made)
    del new["spec"]["text"], new["spec"]["map"], new["spec"]["items"][0]

    own_update(new, made, SCHEMA, manager="writer", time=NOW)

    assert owned(new) == {
        "maker (Update)": {
            "f:spec": {".": {}, "f:items": {".": {}, 'k:{"id":2,"kind":"K"}': {".": {}, "f:id": {}}}}
        }
    }


def test_an_applier_loses_what_another_changes() -> None:
    made = apply(None, thing({"text": "1", "number": 1}), SCHEMA, manager="a", force=False, time=THEN)

    new = updated(made, {"text": "2"})

    assert owned(new) == {"a": {"f:spec": {"f:number": {}}}, "writer (Update)": {"f:spec": {"f:text": {}}}}


def test_one_manager_is_another_owner_for_each_subresource() -> None:
    made = created(thing({"text": "1"}))

    new = updated(made, manager="maker", subresource="status", status={"phase": "Ready"})

    assert list(owned(new)) == ["maker (Update)", "maker (Update/status)"]
    assert owned(new)["maker (Update/status)"] == {"f:status": {".": {}, "f:phase": {}}}


def test_a_write_of_the_status_owns_nothing_else_and_the_other_way_round() -> None:
    made = {**deployment(replicas=1), "status": {}}
    own_update(made, None, DEPLOYMENT, manager="maker", time=THEN)
    new = copy.deepcopy(made)
    new["status"] = {"replicas": 2}
    new["spec"]["replicas"] = 2
    new["metadata"]["labels"] = {"a": "1"}
    whole = copy.deepcopy(new)

    own_update(new, made, DEPLOYMENT, manager="ctl", subresource="status", time=NOW)
    own_update(whole, made, DEPLOYMENT, manager="ctl", time=NOW)

    assert owned(new)["ctl (Update/status)"] == {"f:status": {"f:replicas": {}}}
    assert owned(whole)["ctl (Update)"] == {
        "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
        "f:spec": {"f:replicas": {}},
    }


def test_items_that_stand_twice_are_owned_as_one() -> None:
    made = created(thing({"items": [{"id": 1, "value": "1"}, {"id": 1, "value": "2"}], "set": ["a", "a"]}))

    assert owned(made)["maker (Update)"]["f:spec"] == {
        ".": {},
        "f:items": {".": {}, 'k:{"id":1,"kind":"K"}': {}},
        "f:set": {".": {}, 'v:"a"': {}},
    }
    assert owned(updated(made, {"set": ["a"]}))["writer (Update)"] == {"f:spec": {"f:set": {'v:"a"': {}}}}


def test_the_oldest_of_more_than_ten_updaters_become_one() -> None:
    obj = created(thing({"map": {"m0": "1"}}), "m00", time="2024-01-01T00:00:00Z")
    for at in range(1, 14):
        new = copy.deepcopy(obj)
        new["spec"]["map"][f"m{at}"] = "1"
        own_update(new, obj, SCHEMA, manager=f"m{at:02}", time=f"2024-01-01T00:{at:02}:00Z")
        obj = new

    assert len(owned(obj)) == 10
    assert owned(obj)["ancient-changes (Update)"]["f:spec"]["f:map"] == {
        ".": {}, "f:m0": {}, "f:m1": {}, "f:m2": {}, "f:m3": {}, "f:m4": {}
    }  # fmt: skip
    assert times(obj)["ancient-changes (Update)"] == "2024-01-01T00:04:00Z"


def test_an_object_without_owners_gets_none_by_an_update() -> None:
    assert "managedFields" not in updated(thing({"text": "1"}), {"text": "2"})["metadata"]


@pytest.mark.parametrize("emptied", [[], [{}]])
def test_a_client_may_end_the_tracking(emptied: list[object]) -> None:
    made = created(thing({"text": "1"}))
    new = merge_patch(made, {"metadata": {"managedFields": emptied}})

    own_update(new, made, SCHEMA, manager="writer", time=NOW)

    assert new == bare(made)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "nonsense",
        [5],
        [{"operation": "Steal"}],
        [{"operation": "Update", "apiVersion": "e.io/v1", "fieldsType": "FieldsV2", "fieldsV1": {}}],
        [
            {
                "operation": "Update",
                "apiVersion": "e.io/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"nonsense": {}},
            }
        ],
        [{"operation": "Update", "apiVersion": "e.io/v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": 5}}],
        [{"operation": "Update", "apiVersion": "e.io/v1", "fieldsType": "FieldsV1", "fieldsV1": {"k:[": {}}}],
        [{"operation": "Update", "apiVersion": "", "fieldsType": "FieldsV1", "fieldsV1": {}}],
    ],
)
def test_owners_that_make_no_sense_count_as_not_sent(sent: object) -> None:
    made = created(thing({"text": "1"}))
    new = copy.deepcopy(made)
    new["metadata"]["managedFields"] = sent

    own_update(new, made, SCHEMA, manager="writer", time=NOW)

    assert new == made


def test_owners_sent_with_a_subresource_are_ignored() -> None:
    made = created(thing({"text": "1"}))
    new = copy.deepcopy(made)
    new["metadata"]["managedFields"] = []

    own_update(new, made, SCHEMA, manager="writer", subresource="status", time=NOW)

    assert new == made


def test_kubectl_moves_the_fields_of_client_side_apply_by_a_json_patch() -> None:
    made = created(thing({"text": "1"}), "kubectl-client-side-apply")
    entry = {**made["metadata"]["managedFields"][0], "manager": "kubectl", "operation": "Apply"}
    moved = json_patch(
        made,
        [
            {"op": "replace", "path": "/metadata/managedFields", "value": [entry]},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": "5"},
        ],
    )

    own_update(moved, made, SCHEMA, manager="kubectl", time=NOW)
    left = apply(moved, thing({}), SCHEMA, manager="kubectl", force=False, time=LATER)

    assert moved["metadata"]["managedFields"] == [entry]
    assert "text" not in (left["spec"] or {})


def test_elements_are_stored_in_one_form_however_they_were_written() -> None:
    made = created(thing({"items": [{"id": 1}]}))
    sent = copy.deepcopy(made)
    sent["metadata"]["managedFields"][0]["fieldsV1"] = {
        "f:spec": {"f:items": {'k:{"kind": "K", "id": 1.0}': {"f:id": {}}, "x:unknown": {}}, ".": {}}
    }

    own_update(sent, made, SCHEMA, manager="writer", time=NOW)

    assert owned(sent)["maker (Update)"] == {
        "f:spec": {".": {}, "f:items": {'k:{"id":1,"kind":"K"}': {"f:id": {}}}}
    }


def test_what_became_atomic_is_owned_as_one() -> None:
    made = created(thing({"one": {"a": "1"}}))
    made["metadata"]["managedFields"][0]["fieldsV1"] = {"f:spec": {"f:one": {".": {}, "f:a": {}}}}

    new = updated(made, {"number": 1})

    assert owned(new)["maker (Update)"] == {"f:spec": {"f:one": {}}}


def test_admitting_owners_twice_is_admitting_them_once() -> None:
    made = created(thing({"text": "1"}))
    for sent in ([], [{}], None, "nonsense", made["metadata"]["managedFields"]):
        new = copy.deepcopy(made)
        new["metadata"]["managedFields"] = sent
        admit_managed_fields(new, made)
        once = copy.deepcopy(new)
        admit_managed_fields(new, made)
        assert new == once


def test_newer_times_alone_are_no_change() -> None:
    made = created(config_map(a="1"))
    newer = copy.deepcopy(made)
    newer["metadata"]["managedFields"][0]["time"] = LATER
    changed = copy.deepcopy(newer)
    changed["data"] = {"a": "2"}

    keep_times(newer, made)
    keep_times(changed, made)

    assert newer == made
    assert changed["metadata"]["managedFields"][0]["time"] == LATER


def test_the_time_stays_when_an_applied_null_is_decoded_away() -> None:
    made = apply(None, config_map(a="1"), CONFIG_MAP, manager="a", force=False, time=THEN)
    again = apply(
        made, {**config_map(a="1"), "immutable": None}, CONFIG_MAP, manager="a", force=False, time=NOW
    )
    made["metadata"]["managedFields"][0]["fieldsV1"]["f:immutable"] = {}
    del again["immutable"]

    keep_times(again, made)

    assert times(again) == {"a": THEN}

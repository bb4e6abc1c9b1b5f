"""Custom resources against what a real API server said: of definitions, of objects, of formats, of changes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.kube.server.crds.definitions import (
    RULES,
    Refused,
    chunks,
    created,
    of_versions,
    outcome,
    recorded,
    refuse,
    taken,
    versions_served,
)

DEFINITIONS = recorded("definitions.jsonl")
OBJECTS, UPDATES = recorded("objects.jsonl"), recorded("updates.jsonl")
PROPERTIES = OBJECTS[0]["definition"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"][
    "properties"
]
FORMATS = {name: one["format"] for name, one in PROPERTIES.items() if name.startswith("f_")}


def of_spec(spec: Any) -> Any:
    crd = of_versions(name=spec["names"]["plural"], kind=spec["names"]["kind"])
    crd["metadata"]["name"] = f"{spec['names']['plural']}.{spec['group']}"
    return next(iter(versions_served({**crd, "spec": spec}).values()))


@pytest.mark.parametrize("record", DEFINITIONS, ids=lambda record: record["name"])
def test_a_definition_is_judged_as_by_a_real_api_server(record: Any) -> None:
    crd = {**of_versions(), **record["definition"]}

    made, wrong = outcome(lambda: taken(crd))

    if "message" in record:
        assert wrong is not None
        assert record["message"].endswith(wrong)
    elif record["code"] >= 400:
        # A real one tells some twice.
        assert sorted({tuple(one) for one in wrong}) == sorted({tuple(one) for one in record["causes"]})
    else:
        assert made is not None, wrong
        assert made["spec"] == record["spec"]
        assert [one for one in RULES.warnings(made, None) if "not evaluated" not in one] == record.get(
            "warnings", []
        )


@pytest.mark.parametrize("records", chunks(OBJECTS[1:]))
def test_an_object_is_judged_as_by_a_real_api_server(records: list[Any]) -> None:
    one = of_spec(OBJECTS[0]["definition"])
    for record in records:
        made, wrong = outcome(
            lambda spec=record["spec"]: created(one, {"metadata": {"name": "x"}, "spec": spec})
        )
        if "message" in record:
            assert record["message"].endswith(wrong), record
        elif record["code"] >= 400:
            assert wrong == sorted(record["causes"]), record
        else:
            assert made is not None, (record, wrong)
            assert (made[0]["spec"], made[1]) == (record["made"], record.get("unknown", [])), record


@pytest.mark.parametrize("records", chunks(recorded("formats.jsonl"), 100))
def test_formats_are_judged_as_by_a_real_api_server(records: list[Any]) -> None:
    one = of_spec(OBJECTS[0]["definition"])
    for text, refused in records:
        _, wrong = outcome(lambda text=text: created(one, {"spec": dict.fromkeys(FORMATS, text)}))
        assert sorted({FORMATS[path.removeprefix("spec.")] for _, _, path in wrong or ()}) == refused, text


@pytest.mark.parametrize("records", chunks(UPDATES[1:]))
def test_a_change_is_judged_as_by_a_real_api_server(records: list[Any]) -> None:
    """What was wrong before the schema became strict, and did not change, is let pass."""
    one = of_spec(UPDATES[0]["definition"])
    for record in records:
        meta = {"name": "x", "namespace": "default", "resourceVersion": "1", "generation": 1}
        kind = one.resource.kind
        head = {"apiVersion": kind.api_version, "kind": kind.kind}
        old = {**head, "metadata": dict(meta), "spec": record["old"]}

        def change(old: Any = old, new: Any = record["new"], head: Any = head, meta: Any = meta) -> Any:
            obj = one.decode({**head, "metadata": dict(meta), **({} if new is None else {"spec": new})}).obj
            one.rules.default(obj)
            one.rules.prepare_update(obj, old)
            refuse(one.rules.validate_update(obj, old))
            return obj

        made, wrong = outcome(change)
        if record["code"] == 400:
            assert isinstance(wrong, str), record
        elif record["code"] > 400:
            assert wrong == sorted(record["causes"]), record
        else:
            assert made is not None, (record, wrong)
            assert made["spec"] == record["made"], record
            assert (made["metadata"]["generation"] > 1) is record["raised"], record


def test_the_recordings_hold_both_what_is_right_and_what_is_wrong() -> None:
    for records in (DEFINITIONS, OBJECTS[1:], UPDATES[1:]):
        refused = sum(record["code"] >= 400 for record in records)
        assert refused >= 40
        assert len(records) - refused >= 40


def test_a_refusal_is_no_accident_of_the_harness() -> None:
    with pytest.raises(Refused):
        taken(of_versions())

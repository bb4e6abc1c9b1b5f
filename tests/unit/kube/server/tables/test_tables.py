"""Tables against what a real API server printed: `recorded.jsonl` has objects of each kind, and the cells it made of them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.schema import Struct
from argosy.kube.server import events
from argosy.kube.server.decoding import Decoded
from argosy.kube.server.registry import Column, Served
from argosy.kube.server.rules import Rules
from argosy.kube.server.tables import table
from argosy.kube.types import Kind, Resource, pinned

RECORDED = [
    msgspec.json.decode(line) for line in (Path(__file__).parent / "recorded.jsonl").read_bytes().splitlines()
]


def same(obj: Object) -> Object:
    return obj


def undecoded(value: object, /, *, fill: bool = True) -> Decoded:
    raise AssertionError


def served(plural: str, group: str = "", columns: list[dict[str, Any]] | None = None) -> Served:
    if columns is not None:
        resource = Resource(plural, Kind(group, "v1", "Foo"), "foo", True, ("list",), (), (), {}, "")
    else:
        resource = next(one for one in pinned().resources if (one.plural, one.kind.group) == (plural, group))
    second_face = group == "events.k8s.io"
    return Served(
        resource=resource,
        schema=Struct({}),
        rules=Rules(resource),
        decode=undecoded,
        collection="events" if second_face else resource.group_resource,
        to_stored=events.to_core if second_face else same,
        from_stored=events.from_core if second_face else same,
        as_stored=not second_face,
        custom=columns is not None,
        columns=tuple(Column(**one) for one in columns or ()),
    )


@pytest.mark.parametrize("record", RECORDED, ids=lambda record: f"{record['resource']}.{record['group']}")
def test_every_kind_is_printed_as_a_real_api_server_prints_it(record: dict[str, Any]) -> None:
    one = served(record["resource"], record["group"], record.get("definition"))
    with time_machine.travel(datetime.fromisoformat(record["now"]), tick=False):
        made = table(one, record["objects"], "v1")
    assert [
        [column["name"], column["type"], column["format"], column["priority"]]
        for column in made["columnDefinitions"]
    ] == record["columns"]
    assert [row["cells"] for row in made["rows"]] == record["cells"]
    conditions = record.get("conditions", [None] * len(made["rows"]))
    assert [row.get("conditions") for row in made["rows"]] == conditions


def test_the_recording_is_of_nearly_every_kind() -> None:
    assert len(RECORDED) >= 50
    assert sum(len(record["objects"]) for record in RECORDED) >= 180


OBJECT: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "labels": {"a": "b"}}}


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ("None", None),
        ("Object", OBJECT),
        (
            "Metadata",
            {
                "kind": "PartialObjectMetadata",
                "apiVersion": "meta.k8s.io/v1beta1",
                "metadata": OBJECT["metadata"],
            },
        ),
    ],
)
def test_a_row_carries_of_its_object_what_was_asked(include: str, expected: object) -> None:
    made = table(served("secrets"), [OBJECT], "v1beta1", include=include)
    assert made["rows"][0]["object"] == expected
    assert made["apiVersion"] == "meta.k8s.io/v1beta1"


def test_rows_cannot_carry_anything_else() -> None:
    with pytest.raises(ApiError, match="includeObject: Invalid value: \"All\": must be 'Metadata'") as caught:
        table(served("secrets"), [], "v1", include="All")
    assert caught.value.code == 400


def test_the_revision_is_that_of_the_list_or_of_the_only_object() -> None:
    assert table(served("secrets"), [], "v1", metadata={"continue": "x"})["metadata"] == {"continue": "x"}
    assert table(served("secrets"), [OBJECT], "v1", revision="7")["metadata"] == {"resourceVersion": "7"}


def test_a_watch_leaves_out_the_columns_after_its_first_line() -> None:
    assert table(served("secrets"), [OBJECT], "v1", headers=False)["columnDefinitions"] is None


def test_a_column_that_cannot_be_read_ends_the_table() -> None:
    columns = [
        {"name": "A", "type": "string", "path": ".a"},
        {"name": "B", "type": "string", "path": ".b["},
        {"name": "C", "type": "string", "path": ".c"},
    ]
    made = table(served("foos", "x.io", columns), [{**OBJECT, "a": "1", "c": "2"}], "v1")
    assert [column["name"] for column in made["columnDefinitions"]] == ["Name", "A"]
    assert made["rows"][0]["cells"] == ["s", "1"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
PATHS = st.text(alphabet=".abc[]?(@=='\"<>!1-:,*)} \\$", max_size=15)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "date"])


@given(value=JSON, path=PATHS, kind=TYPES)
def test_no_column_and_no_value_breaks_a_table(value: object, path: str, kind: str) -> None:
    one = served("foos", "x.io", [{"name": "A", "type": kind, "path": "." + path}])
    made = table(one, [{"metadata": {"name": "s"}, "a": value}], "v1")
    assert made["rows"][0]["cells"][0] == "s"
    msgspec.json.encode(made)

"""Files become objects by the rules of Kubernetes' readers: how they are split, what scalars are, which files are somebody else's."""

from __future__ import annotations

import codecs
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.manifests.documents import checked, flattened, from_json, from_yaml
from argosy.manifests.tree import SourceError


def kinds(text: str | bytes) -> list[str]:
    data = text.encode() if isinstance(text, str) else text
    return [str(one["kind"]) for one in from_yaml(data, what="x.yaml")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("kind: A", ["A"]),
        ("---\nkind: A\n---\nkind: B\n", ["A", "B"]),
        ("--- # the first\nkind: A\n---   \nkind: B", ["A", "B"]),
        ("---\n---\n# nothing\n---\nnull\n---\nkind: A", ["A"]),
        ("kind: A\r\nx: |\r\n  y\r\n---\r\nkind: B\r\n", ["A", "B"]),
        ("kind: A\ndata:\n  x: |\n    ---\n    y\n---\nkind: B", ["A", "B"]),
        ("kind: A\n...\n", ["A"]),
        ("", []),
        ("# only a comment", []),
        ('{"kind":"A"}{"kind":"B"}\n {"kind":"C"}', ["A", "B", "C"]),
        ('{"kind":"A"}\n---\nkind: B', ["A", "B"]),
        ("{kind: A, x: [1]}", ["A"]),
        (codecs.BOM_UTF8 + b"kind: A", ["A"]),
        (codecs.BOM_UTF16_LE + "kind: A".encode("utf-16-le"), ["A"]),
        ("kind: AList\nitems:\n- kind: A\n- kind: B", ["A", "B"]),
        ("kind: Whatever\nitems: [{kind: A}]", ["A"]),
        ("kind: List\nitems: [{kind: AList, items: [{kind: A}]}]", ["A"]),
        ("kind: AList\nitems: null", []),
        ("kind: A\nitems: null\nspec: {}", ["A"]),
        ("kind: AList\nitems: []", []),
    ],
)
def test_a_file_is_split_into_its_objects(text: str | bytes, found: list[str]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("yes", True), ("Off", False), ("y", True), ("no", False), ("true", True), ("null", None), ("~", None), ("", None),
        ("0644", 420), ("0o644", 420), ("0x1F", 31), ("1_000", 1000), ("1.10", 1.1), ("1e3", 1000.0), ("'0644'", "0644"),
        ('"yes"', "yes"), ("1.2.3", "1.2.3"), ("2024-01-02", "2024-01-02"), ("12:30:00", "12:30:00"), ("!!str 5", "5"),
        ("!!int 5", 5), ("=", "="), ("<<", "<<"), ("|\n  a\n  b", "a\nb\n"), (">-\n  a\n  b", "a b"), ("1:30", "1:30"),
        ("18446744073709551615", 18446744073709551615), ("0b11", 3), (".5", 0.5), ("+1", 1), ("-0", 0),
    ],
)  # fmt: skip
def test_a_scalar_is_what_it_is_in_yaml_1_1(written: str, read: Any) -> None:
    (found,) = from_yaml(f"kind: A\nx: {written}\n".encode(), what="x.yaml")
    assert found["x"] == read
    assert type(found["x"]) is type(read)


def test_keys_are_texts_and_the_last_of_two_equal_ones_wins() -> None:
    (found,) = from_yaml(b"kind: A\n8080: a\nyes: b\nx: 1\nx: 2\n", what="x.yaml")
    assert found == {"kind": "A", "8080": "a", "true": "b", "x": 2}


def test_what_is_anchored_stands_wherever_it_is_named() -> None:
    (found,) = from_yaml(b"kind: A\nx: &x {a: 1}\nw: *x\nz: {<<: *x, b: 2}\n", what="x.yaml")
    assert found["w"] == {"a": 1}
    assert found["z"] == {"a": 1, "b": 2}
    # an anchor of one document is not known in the next
    with pytest.raises(SourceError, match="unknown anchor"):
        from_yaml(b"kind: A\nx: &x 1\n---\nkind: B\nw: *x\n", what="x.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind: A\n---foo\nkind: B", "invalid Yaml document separator: foo"),
        ("kind: A\n-----BEGIN CERTIFICATE-----\n", "invalid Yaml document separator: --BEGIN CERTIFICATE-----"),
        ("kind: A\nx: [\n---\nkind: B", r"yaml: line 3: "),
        ("kind: A\n---\n\nkind: B\nx: [}\n", r"yaml: line 5: "),
        ("kind: A\nx: !!python/object:os.system y", "tag"),
        ("- 1\n- 2", "a document is no mapping but a list"),
        ("hello", "a document is no mapping but a text"),
        ("foo: bar", "Object 'Kind' is missing in an object with foo"),
        ("kind: 5\nmetadata: {name: web}", "Object 'Kind' is missing in an object 'web' with kind, metadata"),
        ("kind: List\nitems: [1]", "items member should be an object"),
        (b"kind: \xff", "it is not UTF-8 at byte 6"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_with_its_place_in_the_file(text: str | bytes, said: str) -> None:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(SourceError, match=said):
        from_yaml(data, what="x.yaml")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("replicas: 3\nimage: nginx", 0),  # values of a chart
        ("{{ if .Values.x }}\nkind: A", 0),  # a template of a chart
        ("# apiVersion: metadata:\nkinds: [", 0),
        ("kind: A\n---\nfoo: bar", None),  # there was an object, so this was meant to be one
        ("apiVersion: v1\nkind: A\nmetadata: {name: {{ x }}}", None),
        ("apiVersion: v1\nkind:\nmetadata:\n  name: x", None),
    ],
)
def test_a_file_that_does_not_look_like_manifests_is_another_s(text: str, found: int | None) -> None:
    if found is None:
        with pytest.raises(SourceError, match='Failed to unmarshal "x.yaml"'):
            from_yaml(text.encode(), what="x.yaml", lenient=True)
    else:
        assert len(from_yaml(text.encode(), what="x.yaml", lenient=True)) == found


def test_a_pointer_to_large_file_storage_is_named_instead_of_skipped() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    with pytest.raises(SourceError, match="Git LFS"):
        from_yaml(pointer, what="x.yaml", lenient=True)


def test_a_json_file_is_one_object() -> None:
    assert from_json(b' {"kind": "A", "x": 1e2}\n', what="x.json") == [{"kind": "A", "x": 100.0}]
    with pytest.raises(
        SourceError,
        match='^Found multiple objects in "x.json". Only single objects are allowed in JSON files.$',
    ):
        from_json(b'{"kind": "A"}\n{"kind": "B"}', what="x.json")
    with pytest.raises(SourceError, match="no mapping but a list"):
        from_json(b'[{"kind": "A"}]', what="x.json")
    with pytest.raises(SourceError, match='Failed to unmarshal "x.json"'):
        from_json(b'{"kind": ', what="x.json")


def test_jsonnet_may_answer_several() -> None:
    text = json.dumps([{"kind": "A"}, None, {"kind": "List", "items": [{"kind": "B"}]}]).encode()
    assert [one["kind"] for one in from_json(text, what="x", several=True)] == ["A", "B"]
    assert from_json(b"[]", what="x", several=True) == []


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"apiVersion": "v1", "metadata": {"name": "x"}}, "has no kind"),
        ({"kind": "A", "metadata": {"name": "x"}}, "the A x has no apiVersion"),
        ({"apiVersion": "v1", "kind": "A"}, r"a A has no name \(metadata.name\)"),
        ({"apiVersion": "v1", "kind": "A", "metadata": []}, "metadata of a A is no mapping"),
        (
            {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "labels": {"v": 1}}},
            "metadata.labels.v of A x is no text; put the value in quotes",
        ),
        (
            {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "annotations": ["v"]}},
            "metadata.annotations.annotations of A x is no text",
        ),
    ],
)
def test_an_object_says_what_it_is_and_how_it_is_called(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        checked([wrong], what="apps/web")


def test_objects_that_are_in_order_pass() -> None:
    good = [
        {"apiVersion": "v1", "kind": "A", "metadata": {"name": "x", "labels": {"a": None, "b": "c"}}},
        {"apiVersion": "v1", "kind": "A", "metadata": {"generateName": "x-", "labels": None}},
    ]
    assert checked(good, what="apps/web") == good


def test_an_error_names_keys_and_never_values() -> None:
    with pytest.raises(SourceError) as failed:
        from_yaml(b"apiVersion: v1\nmetadata: {}\ndata: {password: hunter2}", what="x.yaml")
    assert "hunter2" not in str(failed.value)


TEXT = st.text(alphabet=st.characters(exclude_categories=["C", "Z"]), max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(TEXT, JSON, max_size=3), max_size=4))
def test_what_was_written_as_json_is_read_back(bodies: list[dict[str, Any]]) -> None:
    objects = [{**body, "kind": "A", "spec": 1, "items": {}} for body in bodies]
    lines = "\n".join(json.dumps(one) for one in objects)
    assert from_yaml(lines.encode(), what="x") == objects
    documents = "\n---\n".join(json.dumps(one, ensure_ascii=False) for one in objects)
    assert from_yaml(documents.encode(), what="x") == objects


def test_lists_are_taken_apart_to_any_sensible_depth_and_no_further() -> None:
    nested: dict[str, Any] = {"kind": "A"}
    for _ in range(200):
        nested = {"kind": "List", "items": [nested]}
    assert len(flattened([nested])) == 1

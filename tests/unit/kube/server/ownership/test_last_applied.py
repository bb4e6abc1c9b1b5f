"""From client-side to server-side apply: the note that kubectl left is as good as an owner."""

from __future__ import annotations

import json

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.ownership import apply, own_update
from tests.unit.kube.server.ownership.samples import NOW, SCHEMA, THEN, owned, thing

NOTE = "kubectl.kubernetes.io/last-applied-configuration"


def noted(spec: Object, note: object) -> Object:
    """Made by client-side apply, which says so in an annotation."""
    obj = thing(spec)
    obj["metadata"]["annotations"] = {NOTE: note if isinstance(note, str) else json.dumps(note)}
    own_update(obj, None, SCHEMA, manager="kubectl-client-side-apply", time=THEN)
    return obj


def applied(live: Object, spec: Object, manager: str = "kubectl") -> Object:
    return apply(live, thing(spec), SCHEMA, manager=manager, force=False, time=NOW)


def test_kubectl_takes_over_what_it_noted() -> None:
    live = noted({"text": "1", "number": 1}, thing({"text": "1"}))

    taken = applied(live, {"text": "2"})

    assert taken["spec"] == {"text": "2", "number": 1}
    assert owned(taken)["kubectl"] == {"f:spec": {"f:text": {}}}


@pytest.mark.parametrize(
    "note",
    [
        thing({"text": "other"}),
        thing({}),
        "no JSON",
        "",
        [1],
        {**thing({"text": "1"}), "apiVersion": "e.io/v0"},
        {**thing({"text": "1"}), "kind": ""},
        thing({"text": "1", "nope": 1}),
    ],
)
def test_a_note_that_does_not_hold_is_none(note: object) -> None:
    with pytest.raises(
        ApiError, match=r"conflict with \"kubectl-client-side-apply\" using e.io/v1: .spec.text"
    ):
        applied(noted({"text": "1"}, note), {"text": "2"})


def test_only_conflicts_that_the_note_does_not_cover_are_told() -> None:
    live = noted({"text": "1", "number": 1}, thing({"text": "1"}))

    with pytest.raises(ApiError) as caught:
        applied(live, {"text": "2", "number": 2})

    assert [cause.field for cause in caught.value.causes] == [".spec.number"]


def test_the_note_is_kubectls_alone() -> None:
    with pytest.raises(ApiError, match=r"\.spec\.text"):
        applied(noted({"text": "1"}, thing({"text": "1"})), {"text": "2"}, "helm")


def test_the_note_is_kept_true() -> None:
    live = noted({"text": "1"}, thing({"text": "1"}))

    taken = applied(live, {"text": "<2>"})

    assert taken["metadata"]["annotations"][NOTE] == (
        '{"apiVersion":"e.io/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"text":"\\u003c2\\u003e"}}\n'
    )


def test_a_note_that_would_be_too_large_goes() -> None:
    live = noted({"text": "1"}, thing({"text": "1"}))

    assert NOTE not in applied(live, {"text": "x" * 300_000})["metadata"]["annotations"]

"""The judge itself: what a transcript keeps, what it hides, and that no difference slips through."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conformance.kube.differences import Meant, differences, judged, store
from tests.conformance.kube.paths import MISSING, at
from tests.conformance.kube.replay import Answer, Played
from tests.conformance.kube.requests import asked
from tests.conformance.kube.scenario import Scenario, ScenarioError, bodied, fill
from tests.conformance.kube.transcripts import normalised

NOW = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
UIDS = ("aaaaaaaa-1111-2222-3333-444444444444", "bbbbbbbb-1111-2222-3333-444444444444")


def transcript(*bodies: Any, steps: list[dict[str, Any]] | None = None, only: str = "") -> list[Any]:
    """The bodies of a scenario in which the server said these."""
    scenario = Scenario("a/b/c", "c", steps or [{"do": "GET /x"}])
    played = Played(scenario, {"ns": "ns-12345"})
    for number, body in enumerate(bodies, 1):
        answer = Answer(200, [], json.dumps(body).encode(), only=[only] if only else [])
        played.answers.append((f"{number} GET /x", answer))
    return [entry["body"] for entry in normalised(played)]


def obj(version: str, uid: str = UIDS[0], **metadata: Any) -> dict[str, Any]:
    return {"kind": "A", "metadata": {"uid": uid, "resourceVersion": version, **metadata}}


def test_versions_keep_their_order_and_equality_whatever_their_numbers() -> None:
    one = transcript(
        obj("17"), obj("90"), obj("17"), {"kind": "AList", "metadata": {"resourceVersion": "91"}}
    )
    other = transcript(obj("4"), obj("5"), obj("4"), {"kind": "AList", "metadata": {"resourceVersion": "5"}})

    assert one == other
    assert [body["metadata"]["resourceVersion"] for body in one] == ["rv1", "rv2", "rv1", "rv2 or later"]


def test_versions_in_another_order_are_a_difference() -> None:
    assert transcript(obj("17"), obj("90")) != transcript(obj("90"), obj("17"))


def test_uids_are_told_apart() -> None:
    same = transcript(obj("1"), obj("1"))
    apart = transcript(obj("1"), obj("1", uid=UIDS[1]))

    assert same[0]["metadata"]["uid"] == same[1]["metadata"]["uid"] == "<uid 1>"
    assert apart[1]["metadata"]["uid"] == "<uid 2>"


def test_a_time_that_means_now_is_hidden_and_an_older_one_is_not() -> None:
    shown = transcript(obj("1", creationTimestamp=NOW, deletionTimestamp="2020-01-01T00:00:00Z"))

    assert shown[0]["metadata"]["creationTimestamp"] == "<time>"
    assert shown[0]["metadata"]["deletionTimestamp"] == "2020-01-01T00:00:00Z"


def test_what_was_sent_is_shown_as_it_came_back() -> None:
    sent = [{"do": "POST /x", "body": {"metadata": {"uid": UIDS[0]}, "spec": {"clusterIP": "10.96.1.1"}}}]

    shown = transcript({**obj("1"), "spec": {"clusterIP": "10.96.1.1"}}, steps=sent)

    assert shown[0]["metadata"]["uid"] == UIDS[0]
    assert shown[0]["spec"] == {"clusterIP": "10.96.1.1"}


def test_addresses_ports_and_made_up_names_get_labels_wherever_they_stand() -> None:
    service = {
        **obj("1", generateName="web-", name="web-x7k2p"),
        "spec": {"clusterIP": "10.96.44.7", "clusterIPs": ["10.96.44.7"], "ports": [{"nodePort": 30123}]},
    }

    shown = transcript(service, {"kind": "Status", "message": 'web-x7k2p has 10.96.44.7: "30123" is taken'})

    assert shown[0]["spec"] == {
        "clusterIP": "<ip 1>",
        "clusterIPs": ["<ip 1>"],
        "ports": [{"nodePort": "<port 1>"}],
    }
    assert shown[1]["message"] == '<generated 1> has <ip>: "<port 1>" is taken'


def test_a_token_is_shown_by_what_it_claims() -> None:
    def part(value: dict[str, Any]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    token = f"{part({'alg': 'RS256'})}.{part({'sub': 'a', 'iat': 1000, 'exp': 4600})}.c2lnbmF0dXJl"

    assert transcript({"token": token})[0] == {
        "token": '<token {"alg": "RS256", "lasting": 3600, "sub": "a"}>'
    }


def test_causes_in_another_order_are_a_difference_unless_a_map_was_walked() -> None:
    def status(*fields: str) -> dict[str, Any]:
        causes = [{"reason": "R", "message": f"m{field}", "field": field} for field in fields]
        message = ", ".join(f"{cause['field']}: {cause['message']}" for cause in causes)
        return {"kind": "Status", "message": f"[{message}]", "details": {"causes": causes}}

    assert transcript(status("a", "b")) != transcript(status("b", "a"))
    assert transcript(status("a[x]", "a[y]")) == transcript(status("a[y]", "a[x]"))


def test_only_the_chosen_part_counts_but_all_of_it_explains() -> None:
    shown = transcript({**obj("5"), "same": {"uid": UIDS[0]}, "noise": 1}, only="same")

    assert shown == [{"same": {"uid": "<uid 1>"}}]


@pytest.mark.parametrize(
    ("wanted", "got", "path"),
    [
        ({"a": 1}, {"a": 2}, "1.body.a"),
        ({"a": 1}, {}, "1.body.a"),
        ({}, {"a": None}, "1.body.a"),
        ({"a": [1, 2]}, {"a": [2, 1]}, "1.body.a.0"),
        ({"a": [1]}, {"a": [1, 2]}, "1.body.a"),
        ({"a": 1}, {"a": True}, "1.body.a"),
        ({"a": {}}, {"a": []}, "1.body.a"),
    ],
)
def test_every_difference_has_its_place(wanted: Any, got: Any, path: str) -> None:
    found = list(differences([{"step": "1 GET /x", "body": wanted}], [{"step": "1 GET /x", "body": got}]))

    assert found[0].path == path


def test_a_step_that_is_missing_is_a_difference() -> None:
    assert [str(one) for one in differences([{"step": "1 GET /x"}], [])]


def test_a_meant_difference_is_allowed_and_one_that_is_gone_is_not(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.conformance.kube.scenario.RECORDED", tmp_path)
    scenario = Scenario("a/b/c", "c", [{"do": "GET /x"}])
    store(scenario, [{"step": "1 GET /x", "status": 200}])
    allowed = [Meant("a/*", "1.status", "it is better so")]

    assert judged(scenario, [{"step": "1 GET /x", "status": 500}], []) != []
    assert judged(scenario, [{"step": "1 GET /x", "status": 500}], allowed) == []
    assert "does not differ any more" in judged(scenario, [{"step": "1 GET /x", "status": 200}], allowed)[0]


def test_a_recording_of_other_steps_is_none(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.conformance.kube.scenario.RECORDED", tmp_path)
    store(Scenario("a/b/c", "c", [{"do": "GET /x"}]), [])

    with pytest.raises(ScenarioError, match="was changed"):
        judged(Scenario("a/b/c", "c", [{"do": "GET /y"}]), [], [])


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("", {"a": {"b.c": [{"n": {"m": "x"}, "v": 1}]}}),
        ("a.b\\.c.0.v", 1),
        ("a.b\\.c.n\\.m=x.v", 1),
        ("a.b\\.c.-1.v", 1),
        ("a.b\\.c.3", MISSING),
        ("a.z.y", MISSING),
    ],
)
def test_places_are_found(path: str, found: Any) -> None:
    assert at({"a": {"b.c": [{"n": {"m": "x"}, "v": 1}]}}, path) == found


def test_a_step_becomes_the_request_that_it_means() -> None:
    step = {
        "do": "PATCH ${things}/a b?x=1",
        "query": {"y": ["1&2", True]},
        "type": "merge",
        "accept": "table",
        "as": "alice",
        "body": {"kept": "made", "spec": {"size": 2, "colour": None}},
    }

    request = asked(
        step, {"things": "/api/things", "made": {"spec": {"size": 1, "colour": "red", "more": 1}}}
    )

    assert (request.method, request.path) == ("PATCH", "/api/things/a%20b?x=1&y=1%262&y=true")
    assert request.headers["Content-Type"] == "application/merge-patch+json"
    assert request.headers["Impersonate-User"] == "alice"
    assert json.loads(request.body or b"") == {"spec": {"size": 2, "more": 1}}
    assert request.certificate


@pytest.mark.parametrize("who", ["anonymous", {"token": "abc"}])
def test_nobody_and_a_token_come_without_the_administrators_certificate(who: Any) -> None:
    assert not asked({"do": "GET /x", "as": who}, {}).certificate


def test_names_keep_their_type_where_they_stand_alone() -> None:
    assert fill({"a": "${n}", "b": "n is ${n}"}, {"n": 5}) == {"a": 5, "b": "n is 5"}


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="nothing is known as"):
        fill("${nobody}", {})


def test_a_body_may_be_like_another() -> None:
    made = bodied({"like": "configmap", "data": {"colour": None, "size": "1"}})

    assert made["kind"] == "ConfigMap"
    assert made["data"] == {"size": "1"}

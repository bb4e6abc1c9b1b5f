"""RollingSync: step after step, and never two syncs where one was meant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.argo.cd.application_sets import rollout, steps
from argosy.contracts.argo.application_set import SetSpec, Step
from argosy.kube.objects import Object
from argosy.kube.reconcile.times import stamp

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


def ago(seconds: float) -> str:
    return stamp(NOW - timedelta(seconds=seconds))


def spec(*steps_: Object, **strategy: object) -> SetSpec:
    return msgspec.convert(
        {
            "generators": [],
            "template": {},
            "strategy": {"type": "RollingSync", "rollingSync": {"steps": list(steps_)}, **strategy},
        },
        SetSpec,
    )


def step(env: str, *, most: int | str | None = None, operator: str = "In") -> Object:
    found: Object = {"matchExpressions": [{"key": "env", "operator": operator, "values": [env]}]}
    return found if most is None else {**found, "maxUpdate": most}


def app(
    name: str,
    env: str = "dev",
    *,
    sync: str = "OutOfSync",
    health: str = "Healthy",
    revision: str = "r1",
    reconciled: float = 0,
    operation: Object | None = None,
    **more: object,
) -> Object:
    status: Object = {
        "sync": {"status": sync, "revision": revision},
        "health": {"status": health},
        "reconciledAt": ago(reconciled),
    }
    if operation is not None:
        status["operationState"] = operation
    return {"metadata": {"name": name, "labels": {"env": env}}, "spec": {}, "status": status, **more}


def told(
    name: str, status: str, *, since: float = 60, revision: str = "r1", message: str = "", at: str = "1"
) -> Object:
    return {
        "application": name,
        "status": status,
        "step": at,
        "targetRevisions": [revision],
        "message": message,
        "lastTransitionTime": ago(since),
    }


def advance(
    rules: SetSpec, live: list[Object], *statuses: Object, changed: dict[str, bool] | None = None
) -> rollout.Rollout:
    return rollout.advance(rules, {"applicationStatus": list(statuses)}, live, live, changed or {}, NOW)


def states(found: rollout.Rollout) -> dict[str, str]:
    return {one["application"]: one["status"] for one in found.statuses}


DEV_PROD = spec(step("dev"), step("prod"))


def test_only_the_first_step_that_is_not_done_moves() -> None:
    found = advance(DEV_PROD, [app("a"), app("b"), app("c", "prod")])
    assert states(found) == {"a": "Pending", "b": "Pending", "c": "Waiting"}
    assert set(found.pending) == {"a", "b"}
    assert found.statuses[2]["message"] == "No Application status found, defaulting status to Waiting"
    assert found.statuses[0]["message"].startswith("Application moved to Pending status")
    assert [one["step"] for one in found.statuses] == ["1", "1", "2"]


def test_the_next_step_begins_when_all_of_the_one_before_are_healthy() -> None:
    live = [app("a", sync="Synced"), app("b", sync="Synced"), app("c", "prod")]
    found = advance(
        DEV_PROD, live, told("a", "Healthy"), told("b", "Progressing"), told("c", "Waiting", at="2")
    )
    assert states(found) == {"a": "Healthy", "b": "Healthy", "c": "Pending"}


def test_a_step_waits_for_one_that_is_not_healthy() -> None:
    live = [app("a", sync="Synced", health="Degraded"), app("c", "prod")]
    found = advance(DEV_PROD, live, told("a", "Progressing"), told("c", "Waiting", at="2"))
    assert states(found) == {"a": "Progressing", "c": "Waiting"}
    assert not found.pending


def test_a_step_waits_for_one_that_is_not_made_yet() -> None:
    generated = [app("a"), app("c", "prod")]
    live = [app("c", "prod")]
    found = rollout.advance(DEV_PROD, {}, live, generated, {}, NOW)
    assert states(found) == {"c": "Waiting"}


def test_what_needs_no_sync_goes_on_by_itself() -> None:
    live = [app("a", sync="Synced"), app("b", sync="Synced", health="Progressing")]
    found = advance(DEV_PROD, live)
    assert states(found) == {"a": "Healthy", "b": "Progressing"}
    assert found.statuses[0]["message"] == "Application resource has synced, updating status to Healthy"


@pytest.mark.parametrize(
    ("revision", "changed", "message"),
    [
        ("r2", False, "Application has pending changes, setting status to Waiting"),
        ("r1", True, "Application has pending changes (spec differs), setting status to Waiting"),
        ("r2", True, "Application has pending changes (revision and spec differ), setting status to Waiting"),
    ],
)
def test_what_changed_waits_for_its_turn(revision: str, changed: bool, message: str) -> None:
    live = [app("a", revision=revision, reconciled=0)]
    found = advance(DEV_PROD, live, told("a", "Healthy"), changed={"a": changed})
    assert found.statuses[0]["message"].startswith("Application moved to Pending")
    late = [app("a", revision=revision, reconciled=30)]
    found = advance(DEV_PROD, late, told("a", "Healthy"), changed={"a": changed})
    assert (found.statuses[0]["status"], found.statuses[0]["message"]) == ("Waiting", message)
    assert found.statuses[0]["targetRevisions"] == [revision]


def test_nothing_goes_on_before_all_have_looked_at_the_change() -> None:
    waiting = told(
        "a",
        "Waiting",
        since=20,
        revision="r2",
        message="Application has pending changes, setting status to Waiting",
    )
    live = [app("a", revision="r2", reconciled=10), app("b", reconciled=30)]
    found = advance(DEV_PROD, live, waiting, told("b", "Healthy"))
    assert (found.refresh, found.pending, states(found)["a"]) == (("b",), {}, "Waiting")
    live[1]["metadata"]["annotations"] = {rollout.REFRESH: "normal"}
    assert advance(DEV_PROD, live, waiting, told("b", "Healthy")).refresh == ()
    live[1]["status"]["reconciledAt"] = ago(20)
    assert states(advance(DEV_PROD, live, waiting, told("b", "Healthy")))["a"] == "Pending"


@pytest.mark.parametrize(
    ("most", "expected"),
    [(None, 4), (1, 1), (2, 2), (0, 0), ("50%", 2), ("10%", 1), ("0%", 0), ("100%", 4), ("many", 1)],
)
def test_only_so_many_of_a_step_move_at_a_time(most: int | str | None, expected: int) -> None:
    found = advance(spec(step("dev", most=most)), [app(name) for name in "abcd"])
    assert len(found.pending) == expected


def test_those_that_move_already_count() -> None:
    live = [app(name) for name in "abcd"]
    found = advance(spec(step("dev", most=2)), live, told("a", "Pending"), told("b", "Progressing"))
    assert set(found.pending) == {"a"}
    assert states(found) == {"a": "Pending", "b": "Progressing", "c": "Waiting", "d": "Waiting"}


# A sync that was asked for


def operation(
    started: float, *, phase: str = "Running", by: str = rollout.INITIATOR, revision: str = "r1"
) -> Object:
    return {
        "phase": phase,
        "startedAt": ago(started),
        "operation": {"initiatedBy": {"username": by}, "sync": {"revision": revision}},
    }


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (
            operation(5),
            "Application resource became Progressing, updating status from Pending to Progressing",
        ),
        (
            operation(5, phase="Succeeded"),
            "Application resource completed a sync successfully, updating status from Pending to Progressing",
        ),
        (
            operation(5, phase="Failed"),
            "Application resource completed a sync, updating status from Pending to Progressing",
        ),
    ],
)
def test_a_sync_that_began_is_progress(state: Object, message: str) -> None:
    found = advance(DEV_PROD, [app("a", operation=state)], told("a", "Pending", since=10))
    assert (found.statuses[0]["status"], found.statuses[0]["message"]) == ("Progressing", message)


@pytest.mark.parametrize(
    ("state", "begun"),
    [
        (operation(20), False),
        (operation(10), True),
        (operation(10, by="admin"), False),
        (operation(10, revision="r0"), False),
        (operation(9, by="admin"), True),
        ({}, False),
    ],
)
def test_a_sync_of_the_same_second_counts_only_when_it_is_ours(state: Object, begun: bool) -> None:
    pending = told("a", "Pending", since=10)
    assert rollout.has_begun(app("a", operation=state), pending) is begun


def test_a_sync_of_before_is_no_progress() -> None:
    found = advance(DEV_PROD, [app("a", operation=operation(20))], told("a", "Pending", since=10))
    assert set(found.pending) == {"a"}


def test_an_application_that_cannot_sync_does_not_wait_for_ever() -> None:
    broken = app("a")
    broken["status"]["conditions"] = [{"type": "InvalidSpecError", "message": "x"}]
    found = advance(DEV_PROD, [broken], told("a", "Pending"))
    assert (
        found.statuses[0]["message"]
        == "Application resource has error and cannot sync, updating status to Progressing"
    )


def test_the_order_to_sync_is_bound_to_the_revision_of_the_rollout() -> None:
    generated: Object = {
        "metadata": {"name": "a"},
        "spec": {
            "syncPolicy": {"automated": {"prune": True}, "syncOptions": ["X=true"], "retry": {"limit": 2}}
        },
    }
    ordered = rollout.with_sync(rollout.switched_off(generated), generated, ["r7"])
    assert ordered["spec"]["syncPolicy"]["automated"] == {"prune": True, "enabled": False}
    assert ordered["operation"] == {
        "initiatedBy": {"username": "applicationset-controller", "automated": True},
        "info": [
            {
                "name": "Reason",
                "value": "ApplicationSet RollingSync triggered a sync of this Application resource",
            }
        ],
        "sync": {"revision": "r7", "syncOptions": ["X=true"], "prune": True},
        "retry": {"limit": 2},
    }
    several: Object = {"metadata": {"name": "a"}, "spec": {"sources": [{}, {}]}}
    assert rollout.with_sync(several, several, ["x", "y"])["operation"]["sync"] == {"revisions": ["x", "y"]}
    assert rollout.with_sync(several, several, [])["operation"]["retry"] == {"limit": 5}
    assert generated["spec"]["syncPolicy"]["automated"] == {"prune": True}


@pytest.mark.parametrize(
    ("live", "revision"),
    [
        (app("a"), "r1"),
        (app("a", operation=operation(20)), "r1"),
        (app("a", operation=operation(5)), None),
        (
            {
                **app("a"),
                "operation": {"initiatedBy": {"username": rollout.INITIATOR}, "sync": {"revision": "r0"}},
            },
            "r1",
        ),
        ({**app("a"), "operation": {"initiatedBy": {"username": "admin"}, "sync": {}}}, None),
        (None, None),
    ],
)
def test_an_order_is_given_until_somebody_begins_with_it(live: Object | None, revision: str | None) -> None:
    found = rollout.ordered(
        {"metadata": {"name": "a"}, "spec": {}}, live, {"a": told("a", "Pending", since=10)}
    )
    assert (found.get("operation") or {"sync": {}})["sync"].get("revision") == revision


# What the conditions tell


def conditions(found: rollout.Rollout) -> dict[str, tuple[str, str]]:
    return {one.type: (one.status, one.message) for one in found.conditions}


def test_the_conditions_tell_how_far_it_is() -> None:
    assert conditions(advance(DEV_PROD, [app("a"), app("c", "prod")])) == {
        "InvalidRolloutConfig": ("False", "Rolling Sync Configured correctly"),
        "RolloutProgressing": ("True", "ApplicationSet is performing rollout of step 1"),
    }
    done = advance(DEV_PROD, [app("a", sync="Synced"), app("c", "prod", sync="Synced")])
    assert conditions(done)["RolloutProgressing"] == ("False", "ApplicationSet Rollout has completed")


@pytest.mark.parametrize(
    ("rules", "live", "said"),
    [
        (
            spec(step("dev", operator="Is")),
            [app("a")],
            "Step 1 has invalid matchExpression operators: Is. Supported Operators are 'In' and 'NotIn'",
        ),
        (
            spec(step("dev", operator="Is"), step("dev", operator="Has")),
            [app("a")],
            "Steps 1, 2 have invalid matchExpression operators: Is, Has. Supported Operators are 'In' and 'NotIn'",
        ),
        (spec(step("dev"), step("dev")), [app("a")], "Application 'a' is selected by multiple steps: (1-2)"),
        (
            spec(step("dev"), step("dev")),
            [app("a"), app("b")],
            "Applications 'a', 'b' are selected by multiple steps: [(1-2), (1-2)]",
        ),
        (spec(step("dev", most="x")), [app("a")], "Step 1 has an invalid maxUpdate value: x"),
        (spec(step("dev"), step("no")), [app("a")], "Steps [2] have no applications matching their criteria"),
    ],
)
def test_steps_that_make_no_sense_are_said(rules: SetSpec, live: list[Object], said: str) -> None:
    found = advance(rules, live)
    assert conditions(found)["InvalidRolloutConfig"] == ("True", said)


@pytest.mark.parametrize(
    ("operator", "labels", "inside"),
    [
        ("In", {"env": "dev"}, True),
        ("In", {}, False),
        ("NotIn", {"env": "dev"}, False),
        ("NotIn", {"env": "x"}, True),
        ("NotIn", {}, True),
    ],
)
def test_an_application_is_in_a_step_by_its_labels(operator: str, labels: dict, inside: bool) -> None:
    one = {"metadata": {"name": "a", "labels": labels}}
    assert ("a" in steps.plan(spec(step("dev", operator=operator)), [one]).step) is inside


def test_an_application_in_no_step_waits_and_holds_nobody_up() -> None:
    found = advance(DEV_PROD, [app("a", sync="Synced"), app("c", "prod"), app("x", "other")])
    assert states(found) == {"a": "Healthy", "c": "Pending", "x": "Waiting"}
    assert {one["application"]: one["step"] for one in found.statuses}["x"] == "-1"


def test_deletion_goes_backwards_only_with_steps() -> None:
    assert steps.deletes_in_reverse(spec(step("dev"), deletionOrder="reverse"))
    assert not steps.deletes_in_reverse(spec(step("dev"), deletionOrder="AllAtOnce"))
    assert not steps.deletes_in_reverse(spec(deletionOrder="Reverse"))


@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    most=st.one_of(st.none(), st.integers(1, 3), st.sampled_from(["1%", "50%", "100%"])),
    data=st.data(),
)
def test_every_rollout_ends_and_no_step_overtakes_another(
    sizes: list[int], most: int | str | None, data: st.DataObject
) -> None:
    """Whatever order the applications get through in: played to its end."""
    rules = spec(*(step(f"s{at}", most=most) for at in range(len(sizes))))
    live = [app(f"a{at}-{number}", f"s{at}") for at, size in enumerate(sizes) for number in range(size)]
    statuses: list[Object] = []
    now = NOW
    for _ in range(200):
        now += timedelta(seconds=5)
        found = rollout.advance(rules, {"applicationStatus": statuses}, live, live, {}, now)
        statuses = found.statuses
        unfinished = {int(one["step"]) for one in statuses if one["status"] != "Healthy"}
        if not unfinished:
            return
        assert all(
            int(one["step"]) <= min(unfinished)
            for one in statuses
            if one["status"] in {"Pending", "Progressing"}
        )
        limit = steps.allowed(Step(max_update=most), sizes[min(unfinished) - 1])
        moving = [one for one in statuses if one["status"] in {"Pending", "Progressing"}]
        assert moving
        assert limit is None or len(moving) <= limit
        name = data.draw(st.sampled_from([one["application"] for one in moving]))
        one = next(one for one in live if one["metadata"]["name"] == name)
        one["status"]["operationState"] = {
            "phase": "Succeeded",
            "startedAt": stamp(now + timedelta(seconds=1)),
        }
        one["status"]["sync"]["status"] = "Synced"
        one["status"]["reconciledAt"] = stamp(now + timedelta(seconds=2))
    pytest.fail("it never ended")

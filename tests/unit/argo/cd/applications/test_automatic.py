"""Whether an application is synced without being asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from argosy.argo.cd.applications.automatic import Decision, decide
from argosy.contracts.argo.application import Application
from argosy.contracts.argo.status import ResourceStatus, SyncStatus
from argosy.kube.objects import Object

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
SOURCE = {"repoURL": "https://git.example/web", "path": "."}


def application(automated: Object | None, *, state: Object | None = None, **more: object) -> Application:
    policy: Object = {} if automated is None else {"automated": automated}
    spec = {"project": "default", "destination": {}, "source": SOURCE, "syncPolicy": policy}
    status = {"operationState": state} if state is not None else {}
    return msgspec.convert({"spec": spec, "status": status, **more}, Application)


def finished(
    phase: str, revision: str, *, ago: float = 60, heals: int = 0, source: Object = SOURCE
) -> Object:
    at = (NOW - timedelta(seconds=ago)).isoformat()
    return {
        "phase": phase,
        "message": "it was so",
        "startedAt": at,
        "finishedAt": at,
        "operation": {"sync": {"autoHealAttemptsCount": heals} if heals else {}},
        "syncResult": {"revision": revision, "source": source},
    }


def resource(name: str, status: str = "OutOfSync", *, extra: bool = False) -> ResourceStatus:
    return ResourceStatus(
        version="v1",
        kind="ConfigMap",
        name=name,
        namespace="web",
        status=status,
        requires_pruning=extra,  # type: ignore[arg-type]
    )


def decided(
    app: Application,
    *resources: ResourceStatus,
    status: str = "OutOfSync",
    revision: str = "new",
    has_changes: bool = True,
) -> Decision:
    sync = SyncStatus(status=status, revision=revision)  # type: ignore[arg-type]
    return decide(app, sync, resources or (resource("a"),), has_changes=has_changes, now=NOW)


@pytest.mark.parametrize(
    ("app", "status", "because"),
    [
        (application(None), "OutOfSync", "automatic sync is off"),
        (application({"enabled": False}), "OutOfSync", "automatic sync is off"),
        (application({}), "Synced", "application status is Synced"),
        (application({}), "Unknown", "application status is Unknown"),
        (application({}, operation={"sync": {}}), "OutOfSync", "another operation is in progress"),
        (application({}, metadata={"deletionTimestamp": "x"}), "OutOfSync", "deletion in progress"),
    ],
)
def test_there_are_reasons_not_to(app: Application, status: str, because: str) -> None:
    assert decided(app, status=status).because == because


def test_an_empty_block_switches_it_on() -> None:
    operation = decided(application({})).operation
    assert operation is not None
    assert operation.sync is not None
    assert (operation.sync.revision, operation.sync.prune) == ("new", False)
    assert operation.initiated_by is not None
    assert operation.initiated_by.automated
    assert operation.retry is not None
    assert operation.retry.limit == 5


def test_what_is_only_extra_is_no_reason_unless_it_may_be_pruned() -> None:
    extra = resource("old", extra=True)
    assert decided(application({}), extra, resource("a", "Synced")).operation is None
    assert decided(application({"prune": True}), extra, resource("a", "Synced")).operation is not None


def test_everything_is_never_pruned_unless_that_is_allowed() -> None:
    extra = resource("old", extra=True)
    condition = decided(application({"prune": True}), extra).condition
    assert condition is not None
    assert condition.message == "Skipping sync attempt to [new]: auto-sync will wipe out all resources"
    assert decided(application({"prune": True, "allowEmpty": True}), extra).operation is not None


def test_what_failed_is_not_tried_again_for_the_same_revision() -> None:
    failed = decided(application({}, state=finished("Failed", "new")))
    assert failed.operation is None
    assert failed.condition is not None
    assert failed.condition.message == "Failed last sync attempt to [new]: it was so"
    assert decided(application({}, state=finished("Failed", "old"))).operation is not None


def test_a_new_commit_that_changes_nothing_of_it_is_the_same_attempt() -> None:
    app = application({}, state=finished("Failed", "old"))
    assert decided(app, has_changes=False).operation is None
    other = application({}, state=finished("Failed", "old", source={**SOURCE, "path": "other"}))
    assert decided(other, has_changes=False).operation is not None


def test_a_difference_after_a_good_sync_is_healed_only_where_that_is_wanted() -> None:
    state = finished("Succeeded", "new")
    assert decided(application({}, state=state)).because == "most recent sync already to [new]"
    healing = decided(
        application({"selfHeal": True}, state=state), resource("a"), resource("b", "Synced")
    ).operation
    assert healing is not None
    assert healing.sync is not None
    assert [one.name for one in healing.sync.resources] == ["a"]
    assert healing.sync.self_heal_attempts == 1


@pytest.mark.parametrize(
    ("heals", "ago", "waits"), [(0, 0, 0), (1, 1, 1), (2, 1, 5), (3, 18, 0), (9, 10, 290)]
)
def test_who_fights_over_a_field_is_given_longer_and_longer_pauses(
    heals: int, ago: float, waits: float
) -> None:
    state = finished("Succeeded", "new", ago=ago, heals=heals)
    found = decided(application({"selfHeal": True}, state=state))
    assert found.again_in == pytest.approx(waits)
    assert (found.operation is None) == bool(waits)


def test_a_sync_that_left_no_result_is_not_repeated() -> None:
    state = finished("Error", "new")
    del state["syncResult"]
    assert decided(application({}, state=state)).operation is None

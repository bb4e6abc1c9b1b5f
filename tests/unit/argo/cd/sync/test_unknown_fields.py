"""Fields that a refusal names are left out, and nothing else."""

from __future__ import annotations

from argosy.argo.cd.sync.unknown_fields import without_unknown
from argosy.kube.errors import ApiError


def refusal(*paths: str) -> ApiError:
    said = "\n  ".join(f"{path}: field not declared in schema" for path in paths)
    return ApiError(500, "", f"failed to create typed patch object (web/a; /v1, Kind=Pod): errors:\n  {said}")


def test_fields_are_found_by_name_by_key_and_by_number() -> None:
    containers = [{"name": "a", "odd": 1}, {"name": "b", "odd": 2, "args": [{"x": 1}]}]
    obj = {"odd": 1, "spec": {"containers": containers, "kept": True}}
    left = without_unknown(
        obj, refusal(".odd", '.spec.containers[name="b"].odd', ".spec.containers[1].args[0].x")
    )
    assert left == {
        "spec": {"containers": [{"name": "a", "odd": 1}, {"name": "b", "args": [{}]}], "kept": True}
    }
    assert obj["odd"] == 1


def test_a_path_that_leads_nowhere_changes_nothing() -> None:
    obj = {"spec": {"ports": [{"containerPort": 80, "protocol": "TCP"}]}}
    path = '.spec.ports[containerPort=81,protocol="TCP"].odd'
    assert without_unknown(obj, refusal(path, ".spec.ports[7].odd", ".no.where")) == obj


def test_another_refusal_is_not_answered() -> None:
    assert without_unknown({}, ApiError(422, "Invalid", "spec.replicas: must be greater than 0")) is None

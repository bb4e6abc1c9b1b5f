"""What a write of a resource or subresource cannot change."""

from __future__ import annotations

import pytest

from argosy.kube.server.ownership import reset_fields
from argosy.kube.server.ownership.fieldset import of_paths, paths, shown
from argosy.kube.server.ownership.reset import reset_of
from argosy.kube.types import Kind, Resource, Subresource, pinned

ALL = of_paths(
    ("f:data",),
    ("f:metadata", "f:labels", "f:a"),
    ("f:metadata", "f:ownerReferences"),
    ("f:spec", "f:containers", 'k:{"name":"a"}'),
    ("f:spec", "f:containers", 'k:{"name":"a"}', "f:image"),
    ("f:spec", "f:containers", 'k:{"name":"a"}', "f:resources", "f:limits"),
    ("f:spec", "f:ephemeralContainers", 'k:{"name":"b"}', "f:image"),
    ("f:status", "f:certificate"),
    ("f:status", "f:conditions"),
)
LABELS, OWNERS = ".metadata.labels.a", ".metadata.ownerReferences"
SPEC = [
    '.spec.containers[name="a"]',
    '.spec.containers[name="a"].image',
    '.spec.containers[name="a"].resources.limits',
    '.spec.ephemeralContainers[name="b"].image',
]
STATUS = [".status.certificate", ".status.conditions"]


@pytest.mark.parametrize(
    ("plural", "subresource", "left"),
    [
        ("configmaps", "", [".data", OWNERS, LABELS, *SPEC, *STATUS]),
        ("deployments", "", [".data", OWNERS, LABELS, *SPEC]),
        ("deployments", "status", [".data", OWNERS, *STATUS]),
        ("statefulsets", "status", [".data", OWNERS, LABELS, *STATUS]),
        ("pods", "status", [".data", LABELS, *STATUS]),
        ("pods", "resize", [SPEC[0], SPEC[2]]),
        ("pods", "ephemeralcontainers", [SPEC[3]]),
        ("namespaces", "finalize", [".data", OWNERS, LABELS, *SPEC]),
        ("volumeattachments", "status", [".data", *STATUS]),
        ("certificatesigningrequests", "", [".data", OWNERS, LABELS]),
        ("certificatesigningrequests", "approval", [".data", OWNERS, LABELS, ".status.conditions"]),
        ("certificatesigningrequests", "status", [".data", OWNERS, LABELS, ".status.certificate"]),
    ],
)
def test_a_built_in_kind_resets_what_its_strategy_resets(
    plural: str, subresource: str, left: list[str]
) -> None:
    resource = next(one for one in pinned().resources if one.plural == plural)
    obj = {"apiVersion": resource.kind.api_version, "kind": resource.kind.kind}

    for reset in (reset_fields(resource, subresource), reset_of(obj, subresource)):
        assert sorted(map(shown, paths(reset(ALL)))) == sorted(left)


def test_a_custom_kind_resets_by_whether_its_status_is_apart() -> None:
    kind = Kind("e.io", "v1", "Thing")
    plain = Resource("things", kind, "thing", True, (), (), (), {}, "")
    apart = plain._replace(subresources={"status": Subresource("status", kind, ())})

    assert reset_fields(plain, custom=True)(ALL) == ALL
    assert list(reset_fields(apart, custom=True)(ALL)) == ["f:data", "f:metadata", "f:spec"]
    assert list(reset_fields(apart, "status", custom=True)(ALL)) == ["f:data", "f:status"]

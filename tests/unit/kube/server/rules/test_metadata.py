"""The metadata of every object."""

from __future__ import annotations

import pytest

from argosy.kube.server.rules import formats, metadata

_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def _meta(**fields):
    return {"name": "web", "namespace": "default", **fields}


def _check(meta, **how):
    return [
        tuple(cause) for cause in metadata.check(meta, namespaced=True, names=formats.subdomain_name, **how)
    ]


def test_good_metadata_has_nothing_wrong():
    labels = {"app": "web", "example.com/tier": "", "a": "A_b.c"}

    assert (
        _check(_meta(labels=labels, annotations={"Example.com/X": "any\ntext"}, finalizers=["a.io/b"])) == []
    )


@pytest.mark.parametrize(
    ("meta", "cause"),
    [
        (
            {"namespace": "default"},
            ("FieldValueRequired", "Required value: name or generateName is required", "metadata.name"),
        ),
        (_meta(name="Web"), ("FieldValueInvalid", f'Invalid value: "Web": {_SUBDOMAIN}', "metadata.name")),
        (
            _meta(name="a" * 254),
            (
                "FieldValueInvalid",
                f'Invalid value: "{"a" * 254}": must be no more than 253 characters',
                "metadata.name",
            ),
        ),
        ({"name": "web"}, ("FieldValueRequired", "Required value", "metadata.namespace")),
        (
            _meta(generation=-1),
            (
                "FieldValueInvalid",
                "Invalid value: -1: must be greater than or equal to 0",
                "metadata.generation",
            ),
        ),
        (
            _meta(annotations={"a": "x" * (256 * 1024)}),
            ("FieldValueTooLong", "Too long: may not be more than 262144 bytes", "metadata.annotations"),
        ),
        (
            _meta(labels={"a": "x" * 64}),
            (
                "FieldValueInvalid",
                f'Invalid value: "{"x" * 64}": must be no more than 63 bytes',
                "metadata.labels",
            ),
        ),
        (
            _meta(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "name": "p"}]),
            ("FieldValueInvalid", 'Invalid value: "": must not be empty', "metadata.ownerReferences.uid"),
        ),
        (
            _meta(finalizers=["orphan", "foregroundDeletion"]),
            (
                "FieldValueInvalid",
                'Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
                "metadata.finalizers",
            ),
        ),
    ],
)
def test_what_is_wrong_is_told_in_upstreams_words(meta, cause):
    assert _check(meta) == [cause]


def test_a_prefix_for_a_generated_name_may_end_with_a_dash():
    assert _check(_meta(generateName="web-")) == []


@pytest.mark.parametrize("field", ["uid", "name", "namespace", "creationTimestamp", "deletionTimestamp"])
def test_the_identity_of_an_object_is_immutable(field):
    old = _meta(uid="u", creationTimestamp="2024-01-01T00:00:00Z", resourceVersion="1")
    new = {**old, field: "other"}

    [cause] = metadata.check_update(new, old)

    assert cause == ("FieldValueInvalid", 'Invalid value: "other": field is immutable', f"metadata.{field}")


def test_an_object_that_is_being_deleted_takes_no_new_finalizers():
    old = _meta(deletionTimestamp="2024-01-01T00:00:00Z", finalizers=["a.io/b"], resourceVersion="1")
    new = {**old, "finalizers": ["a.io/b", "a.io/c"]}

    [cause] = metadata.check_update(new, old)

    assert cause.message == (
        "Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"a.io/c"}'
    )


def test_a_name_may_be_any_part_of_a_path_where_nothing_stricter_is_asked():
    names = ("system:node", "UPPER", ".hidden", "a/b", "..", "100%")

    assert [bool(metadata.check(_meta(name=name), namespaced=True)) for name in names] == [
        *(False, False, False),
        *(True, True, True),
    ]

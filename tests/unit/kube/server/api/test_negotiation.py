"""The form of an answer, from what a client accepts."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.api.negotiation import Form, form, several, single
from argosy.kube.types import Kind
from argosy.kube.wire import Request

KUBECTL = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
METADATA = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

POD = Kind("", "v1", "Pod")


def asked(accept, **options):
    return form(Request("GET", "/", headers={"accept": accept} if accept else {}), **options)


@pytest.mark.parametrize(
    ("accept", "wanted"),
    [
        ("", Form()),
        ("*/*", Form()),
        ("application/json, */*", Form()),
        (KUBECTL, Form("table", "v1")),
        (METADATA, Form("metadata", "v1", list=False)),
        ("application/vnd.kubernetes.protobuf,application/json", Form()),
        ("application/yaml", Form(yaml=True)),
        ("text/html, application/json;q=0.5", Form()),
    ],
)
def test_the_best_form_that_can_be_written_is_chosen(accept, wanted):
    assert asked(accept) == wanted


def test_where_there_are_no_tables_kubectl_gets_the_object():
    assert asked(KUBECTL, shapes=False) == Form()


@pytest.mark.parametrize(
    "accept", ["text/html", "application/vnd.kubernetes.protobuf", "application/json;q=0"]
)
def test_who_accepts_nothing_we_can_write_is_refused(accept):
    with pytest.raises(ApiError) as raised:
        asked(accept)
    assert (raised.value.code, raised.value.reason) == (406, "NotAcceptable")


def test_a_built_in_kind_is_routed_by_whole_media_types_a_custom_one_is_not():
    with pytest.raises(ApiError, match="406: Not Acceptable") as raised:
        asked("application/*")
    assert raised.value.status()["details"] == {}
    assert asked("application/*", routed=False) == Form()


def test_the_metadata_of_a_list_is_not_that_of_an_object():
    one, many = (
        asked(f"application/json;as={name};v=v1;g=meta.k8s.io")
        for name in ("PartialObjectMetadata", "PartialObjectMetadataList")
    )
    single(one, POD)
    several(many, POD)
    with pytest.raises(ApiError, match=r"not a list \(\*core.Pod\)"):
        single(many, POD)
    with pytest.raises(ApiError, match=r"is a list \(\*core.PodList\)"):
        several(one, POD)


def test_a_table_carries_as_much_of_each_object_as_was_asked_for():
    request = Request("GET", "/", (("includeObject", "None"),), {"accept": KUBECTL})
    assert form(request).include == "None"

"""Whose an object is."""

from __future__ import annotations

import pytest

from argosy.argo.cd.compare.tracking import INSTALLATION_ID, TRACKING_ID, Tracking, parsed, shortened
from argosy.kube.objects import annotations_of, labels_of
from tests.unit.argo.cd.objects import made


def test_the_mark_names_the_application_and_the_object() -> None:
    obj = made("Deployment", "web", "shop")
    Tracking().stamp(obj, "shop-app", "elsewhere")
    assert annotations_of(obj) == {TRACKING_ID: "shop-app:apps/Deployment:shop/web"}
    assert Tracking().application_of(obj) == "shop-app"


def test_what_belongs_to_the_cluster_carries_the_namespace_of_the_destination() -> None:
    obj = made("Namespace", "shop", "")
    Tracking().stamp(obj, "app", "dest")
    assert annotations_of(obj)[TRACKING_ID] == "app:/Namespace:dest/shop"
    assert Tracking().is_own(obj, None)


def test_a_definition_gets_no_mark() -> None:
    obj = made("CustomResourceDefinition", "a.b", "")
    Tracking(method="annotation+label").stamp(obj, "app", "dest")
    assert not annotations_of(obj)
    assert not labels_of(obj)


def test_a_mark_that_was_copied_to_another_object_makes_it_nobodys_own() -> None:
    # given an object whose controller copies annotations to what it makes
    source = made("StatefulSet", "db", "shop")
    Tracking().stamp(source, "app", "shop")
    child = made("ConfigMap", "db-0", "shop")
    child["metadata"]["annotations"] = annotations_of(source)
    assert Tracking().application_of(child) == "app"
    assert not Tracking().is_own(child, None)
    assert Tracking().is_own(source, None)


def test_an_object_that_moved_to_another_group_is_judged_by_what_git_says_now() -> None:
    live = made("Ingress", "i", "shop")
    live["metadata"]["annotations"] = {TRACKING_ID: "app:extensions/Ingress:shop/i"}
    assert not Tracking().is_own(live, None)
    assert Tracking().is_own(live, made("Ingress", "i", "shop"))


def test_two_installations_do_not_take_each_others_objects() -> None:
    obj = made("ConfigMap", "a", "shop")
    Tracking(installation="one").stamp(obj, "app", "shop")
    assert annotations_of(obj)[INSTALLATION_ID] == "one"
    assert Tracking(installation="one").application_of(obj) == "app"
    assert not Tracking(installation="two").application_of(obj)
    assert not Tracking().application_of(obj)


def test_labels_hold_as_much_of_a_long_name_as_they_can() -> None:
    long = "a" * 62 + "-b"
    obj = made("ConfigMap", "a", "shop")
    Tracking(method="annotation+label").stamp(obj, long, "shop")
    assert labels_of(obj) == {"app.kubernetes.io/instance": "a" * 62}
    assert Tracking(method="annotation+label").application_of(obj) == long
    assert shortened("short") == "short"


def test_by_label_alone_the_label_is_the_whole_truth() -> None:
    tracking = Tracking(method="label", label="example.com/app")
    obj = made("ConfigMap", "a", "shop")
    tracking.stamp(obj, "app", "shop")
    assert not annotations_of(obj)
    assert tracking.application_of(obj) == "app"


@pytest.mark.parametrize("text", ["", "app", "app:x", "app:a/b/c:d/e", "app:a/b:c", "a:b:c:d"])
def test_what_is_no_mark_is_nobodys(text: str) -> None:
    assert parsed(text) is None

"""Versions and ranges mean what they mean to Masterminds/semver 3.4.0, from which `versions.json` was recorded."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from argosy.argo.cd.repositories import versions

RECORDED = json.loads(Path(__file__).with_name("versions.json").read_text())
READABLE = [text for group in RECORDED["ascending"] for text in group]


@pytest.mark.parametrize("text", RECORDED["unreadable"])
def test_what_is_no_version_is_none(text: str) -> None:
    assert versions.parse(text) is None


def test_versions_are_in_the_library_s_order() -> None:
    groups = [[versions.parse(text) for text in group] for group in RECORDED["ascending"]]
    for group in groups:
        assert all(one == group[0] and hash(one) == hash(group[0]) for one in group)
    for lower, higher in pairwise(groups):
        assert lower[0] is not None
        assert higher[0] is not None
        assert lower[0] < higher[0]


@pytest.mark.parametrize(("wanted", "fitting"), RECORDED["ranges"].items())
def test_a_range_has_the_versions_that_the_library_finds_in_it(
    wanted: str, fitting: list[str] | None
) -> None:
    found = {text for text in READABLE if versions.newest(wanted, [text])}
    assert found == set(fitting or ())
    assert versions.is_range(wanted) == (fitting is not None and versions.parse(wanted) is None)


@pytest.mark.parametrize(
    ("wanted", "newest"),
    [("1.x", "v1.10.0"), ("*", "2.0.0"), (">=2-0", "3.0.0-rc.10"), ("~1.2", "1.2.9"), ("^4", "")],
)
def test_the_newest_is_chosen_as_it_is_written(wanted: str, newest: str) -> None:
    among = ["1.2.9", "v1.10.0", "nightly", "2.0.0", "3.0.0-rc.9", "3.0.0-rc.10"]
    assert versions.newest(wanted, among) == newest

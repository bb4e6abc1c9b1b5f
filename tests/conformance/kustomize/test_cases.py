"""Ours makes of every case what the real kustomize made of it."""

from __future__ import annotations

import pytest

from tests.conformance.kustomize import recorded_cases as cases

ALL = cases.load()


@pytest.mark.parametrize("case", [one for one in ALL if not one.fails], ids=lambda one: one.name)
def test_the_objects_are_those_of_the_real_kustomize_in_the_same_order(case: cases.Case) -> None:
    assert case.built() == case.expected


@pytest.mark.parametrize("case", [one for one in ALL if one.fails], ids=lambda one: one.name)
def test_what_the_real_kustomize_refuses_is_refused_in_words_that_people_search_for(case: cases.Case) -> None:
    error = case.error()

    assert case.says
    assert case.says in error
    assert error.count("\n") <= 2


def test_there_are_enough_cases() -> None:
    assert len([one for one in ALL if not one.fails]) >= 60
    assert len([one for one in ALL if one.fails]) >= 60

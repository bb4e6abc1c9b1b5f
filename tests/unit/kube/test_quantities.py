"""Quantities: one form for storage, exact comparison, upstream's words for nonsense."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube import quantities


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0", "0"),
        ("0.5", "500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1024Ki", "1Mi"),
        ("0.5Ki", "512"),
        ("100", "100"),
        ("1e3", "1e3"),
        ("1000k", "1M"),
        ("+1", "+1"),
        ("-0.001", "-1m"),
        ("1.500", "1.500"),
        ("1000000000000000M", "1"),
        (2, "2"),
        (0.5, "500m"),
    ],
)
def test_a_quantity_is_stored_in_one_form(written, stored):
    assert quantities.canonical(written) == stored


@pytest.mark.parametrize("written", ["", "x", "1.2.3", "1 Gi", "--1", "e3"])
def test_what_is_no_quantity_says_what_one_looks_like(written):
    with pytest.raises(ValueError, match="quantities must match the regular expression"):
        quantities.parse(written)


@pytest.mark.parametrize("written", ["1K", "1mi", "1e", "1ee3"])
def test_an_unknown_unit_is_told_apart(written):
    with pytest.raises(ValueError, match="unable to parse quantity's suffix"):
        quantities.parse(written)


@pytest.mark.parametrize("written", ["9" * 100_000, "1e999999999", "1e-99999999999999999999"])
def test_absurd_sizes_are_refused_and_cost_nothing(written):
    with pytest.raises(ValueError, match="unable to parse"):
        quantities.parse(written)


@pytest.mark.parametrize(
    ("written", "rounded"), [("1u", "1m"), ("1.0001", "1001m"), ("-1u", "-1m"), ("1Gi", "1Gi")]
)
def test_resource_lists_are_rounded_up_to_thousandths(written, rounded):
    assert quantities.in_milli(written) == rounded


@given(st.integers(-(10**9), 10**9), st.sampled_from(["", "m", "u", "k", "M", "Ki", "Mi", "Gi"]))
def test_the_stored_form_means_the_same_and_stays(number, unit):
    found = quantities.parse(f"{number}{unit}")

    again = quantities.parse(found.text)

    assert again.nano == found.nano
    assert again.text == found.text

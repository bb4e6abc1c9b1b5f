"""What the real text/template, with the real Sprig, answers to the templates of `cases.yaml`: so do we, errors included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.domain.templates import TemplateError, render, substitute
from argosy.domain.templates.values import StringMap, Strings, from_json
from tools.template_oracle import cases

HERE = Path(__file__).parent
RECORDED = [json.loads(line) for line in (HERE / "recorded.jsonl").read_text().splitlines()]
CASES = list(cases())
MEANT = {
    'regexFind "(?=x)"': "upstream says the pattern a second time",
    'mustToDate "2006-01-02" "nope"': "which part of a layout does not fit is not told",
}
"""Errors that say it in other words, by a part of the template, with the reason."""


def given(case: dict) -> dict:
    params = dict(case["params"]) if case.get("flat") else from_json(case["params"])
    for name in case.get("typed", ()):
        kind = StringMap if isinstance(params[name], dict) else Strings
        params[name] = kind(params[name])
    return params


def answered(case: dict) -> dict[str, str]:
    params = given(case)
    try:
        if case.get("flat"):
            return {"output": substitute(case["template"], params)}
        return {
            "output": render(case["template"], params, missing=case.get("missing", "default"), name="base")
        }
    except TemplateError as error:
        return {"error": error.told}


def test_every_case_was_recorded() -> None:
    assert [(one["group"], one["template"]) for one in CASES] == [
        (one["group"], one["template"]) for one in RECORDED
    ]
    assert len(RECORDED) >= 150


@pytest.mark.parametrize(
    ("case", "recorded"),
    [
        pytest.param(*pair, id=f"{at}-{pair[0]['group']}")
        for at, pair in enumerate(zip(CASES, RECORDED, strict=True))
    ],
)
def test_a_template_says_what_go_says(case: dict, recorded: dict) -> None:
    expected = {key: recorded[key] for key in ("output", "error") if key in recorded}
    if any(part in case["template"] for part in MEANT):
        assert answered(case).keys() == expected.keys() == {"error"}
    else:
        assert answered(case) == expected

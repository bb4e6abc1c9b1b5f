"""Templates that nobody thought of, put to us and to the real text/template with the real Sprig."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argosy.domain.templates import TemplateError, render
from argosy.domain.templates.values import StringMap, Strings, from_json
from tests.needs import absent
from tools import template_oracle

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

PARAMS = {
    "s": "Hello, World-1_x", "e": "", "u": "žluť ß €", "p": "a/b/c.yaml", "n": None, "t": True, "i": 3, "f": 2.5,
    "g": 1234567.0, "l": ["b", "a", "c"], "x": [1, "1", None, True, [2]], "m": {"a": 1, "b": {"c": "d"}, "z": ""},
    "v": "1.2.3-rc.1", "y": "a: 1\nb: [x, 'y']\n", "j": '{"a":[1,2.5,"<x>"]}', "lab": {"env": "prod", "x-y": "1"},
    "seg": ["a", "b"],
}  # fmt: skip
TYPED = ["lab", "seg"]
FIELDS = [f".{name}" for name in PARAMS] + [
    ".m.a",
    ".m.b.c",
    ".m.no",
    ".lab.env",
    ".no",
    ".no.no",
    "(deepCopy .)",
]  # not the dot: a map in itself ends Go
LITERALS = [
    '"abc"', '""', "`r\\w`", "0", "1", "-2", "3", "1.5", "true", "false", "nil", "'x'", '"%v|%5s|%q"', '"%d %05.1f"', '"-"',
    '"2006-01-02"', '"[a-z]+"', '"(a)(b)?"', '"^1.2"', '"a"', '"x"', '"é"', '"10"', '"0x1f"', '"1.50"',
]  # fmt: skip
NOT_REPEATABLE = {
    "now", "ago", "randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4", "keys", "values",
    "date", "dateInZone", "date_in_zone", "htmlDate", "htmlDateInZone", "durationRound", "toPrettyJson", "mustToPrettyJson", "call",
    "tpl", "toDate", "mustToDate",
    # Go tells nil lists from empty ones in JSON, and reads on behind what ends a document.
    "concat", "chunk", "mustChunk", "regexFindAll", "mustRegexFindAll", "fromYaml", "fromYamlArray",
}  # fmt: skip


def functions() -> list[str]:
    from argosy.domain.templates import builtins, sprig

    known = {*builtins.FUNCTIONS, *sprig.FUNCTIONS, "and", "or"} - sprig.UNSUPPORTED - NOT_REPEATABLE
    return sorted(known)


FITTING = {
    "str": [
        ".s", ".u", ".p", ".v", ".y", ".j", '"abc"', '"é-b c"', '"a"', '"^1.2"', '"[a-z]+"', '"24h"', '"1.2.x"', '"  x y "', '"-"',
        '"AbcDef HTTPServer2xx"', '"http://a:b@c:1/d?e#f"', '"$1x${0}"', '"2006-01-02 15:04"',
    ],
    "int": ["0", "1", "2", "3", "-1", "5", "10"],
    "float": ["1.5", "2", "0.1"],
    "bool": ["true", "false", ".t"],
    "Map": ["(deepCopy .)", '(dict "a" 1 "k" (list 1))', "(deepCopy .m.b)"],
    "Moment": ['(toDate "2006-01-02" "2024-02-29")'],
}  # fmt: skip
"""What a function takes that asks for this type."""


def fitting(name: str, more: int) -> st.SearchStrategy[str]:
    from argosy.domain.templates import builtins, sprig
    from argosy.domain.templates.calling import signature

    fixed, rest = signature({**builtins.FUNCTIONS, **sprig.FUNCTIONS}[name])
    kinds = [*fixed, *([rest] * more if rest else [])]
    chosen = [st.sampled_from(FITTING[kind]) if kind in FITTING else operands for kind in kinds]
    return st.tuples(*chosen).map(lambda args: " ".join([name, *args]))


operands = st.one_of(st.sampled_from(FIELDS), st.sampled_from(LITERALS))
calls = st.deferred(
    lambda: st.one_of(good_calls, good_calls, good_calls, any_calls),
)
good_calls = st.tuples(
    st.sampled_from([name for name in functions() if name not in {"and", "or"}]), st.integers(0, 2)
).flatmap(lambda chosen: fitting(*chosen))
any_calls = st.deferred(
    lambda: st.builds(
        lambda name, args: " ".join([name, *args]),
        st.sampled_from(functions()),
        st.lists(st.one_of(operands, operands, pipelines.map(lambda inner: f"({inner})")), max_size=3),
    )
)
pipelines = st.builds(
    lambda first, rest: " | ".join([first, *rest]),
    st.one_of(operands, calls),
    st.lists(calls, max_size=2),
)
texts = st.sampled_from(["", " ", "\n", "x", " text ", "}}"])
marks = st.sampled_from([("{{", "}}"), ("{{- ", " -}}"), ("{{", " -}}"), ("{{- ", "}}")])


def action(inside: str, mark: tuple[str, str]) -> str:
    return mark[0] + inside + mark[1]


actions = st.builds(action, pipelines, marks)
blocks = st.deferred(
    lambda: st.one_of(
        actions,
        texts,
        st.builds(
            lambda word, pipe, body, other: f"{{{{{word} {pipe}}}}}{body}{{{{else}}}}{other}{{{{end}}}}",
            st.sampled_from(["if", "with", "range", "range $k, $e :="]),
            pipelines,
            blocks,
            blocks,
        ),
        st.builds(lambda pipe, body: f"{{{{$q := {pipe}}}}}{body}{{{{$q}}}}", pipelines, blocks),
    )
)
templates = st.lists(blocks, min_size=1, max_size=3).map("".join)


@pytest.fixture(scope="module")
def oracle() -> Iterator[template_oracle.Oracle]:
    if shutil.which("go") is None and not template_oracle.binary().is_file():
        absent("no Go on this machine to build the oracle of templates with")
    with template_oracle.running() as running:
        yield running


@settings(max_examples=1000, deadline=None, suppress_health_check=list(HealthCheck))
@given(template=templates, missing=st.sampled_from(["default", "zero", "error"]))
def test_a_template_says_what_go_says(template: str, missing: str, oracle: template_oracle.Oracle) -> None:
    params = from_json(PARAMS)
    assert isinstance(params, dict)
    params |= {"lab": StringMap(PARAMS["lab"]), "seg": Strings(PARAMS["seg"])}
    told = oracle.ask({"template": template, "params": PARAMS, "typed": TYPED, "missing": missing})
    try:
        ours = render(template, params, missing=missing, name="base")
    except TemplateError as error:
        assert "error" in told, f"{template}\nGo: {told}\nwe: {error}"
    else:
        assert told.get("output", told.get("error")) == ours, template

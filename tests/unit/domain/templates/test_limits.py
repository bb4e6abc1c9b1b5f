"""Whoever writes a template cannot stop the process, fill its memory, or look into Python."""

from __future__ import annotations

import time

import pytest

from argosy.domain.templates import Budget, TemplateError, render


def refused(template: str, **params: object) -> TemplateError:
    with pytest.raises(TemplateError) as caught:
        render(template, params, name="base")
    return caught.value


@pytest.mark.parametrize(
    "template",
    [
        '{{ repeat 1000000000 "x" }}',
        '{{ repeat 9223372036854775807 "x" }}',
        "{{ until 1000000000 }}",
        "{{ untilStep 0 9223372036854775807 1 }}",
        "{{ seq 1000000000 }}",
        "{{ range 1000000000 }}x{{ end }}",
        '{{ indent 1000000000 "x" }}',
        '{{ printf "%1000000d" 1 | replace "0" "00" | replace " " "       " }}',
        "{{ randAlphaNum 1000000000 }}",
        '{{ $x := "ab" }}{{ range until 100 }}{{ $x = print $x $x }}{{ end }}{{ $x }}',
        "{{ $x := list 1 }}{{ range until 100 }}{{ $x = concat $x $x }}{{ end }}",
        "{{ $x := list 1 }}{{ range until 90 }}{{ $x = list $x $x }}{{ end }}{{ $x }}",
        "{{ $x := list 1 }}{{ range until 90 }}{{ $x = list $x $x }}{{ end }}{{ toJson $x }}",
        "{{ $x := list 1 }}{{ range until 90 }}{{ $x = list $x $x }}{{ end }}{{ toYaml $x }}",
        "{{ $x := list 1 }}{{ range until 90 }}{{ $x = list $x $x }}{{ end }}{{ deepCopy $x }}",
        "{{ $x := list 1 }}{{ $y := list 1 }}{{ range until 90 }}{{ $x = list $x $x }}{{ $y = list $y $y }}{{ end }}{{ deepEqual $x $y }}",
        '{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ $d }}',
        '{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ toJson $d }}',
        '{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ deepCopy $d }}',
        '{{ $d := dict }}{{ $_ := set $d "self" $d }}{{ $e := dict }}{{ $_ := set $e "self" $e }}{{ merge $d $e }}',
        '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}',
        "{{ range until 5000 }}{{ range until 5000 }}{{ end }}{{ end }}",
        "{{ range until 1000 }}{{ uniq (until 1000) }}{{ end }}",
        '{{ $l := splitList "" (repeat 90000 "x") }}{{ range until 100 }}{{ sortAlpha $l }}{{ end }}',
        "{{ " + "(" * 2000 + "1" + ")" * 2000 + " }}",
        "{{ if true }}" * 2000 + "{{ end }}" * 2000,
        "{{ if true }}x" + "{{ else if true }}x" * 2000 + "{{ end }}",
        '{{ fromYaml "a: &a [x,x,x,x,x,x,x,x,x]\\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\\ng: [*f,*f,*f,*f,*f,*f,*f,*f,*f]" }}',
        '{{ fromJson (repeat 5000 "[") | toJson }}{{ mustFromJson (repeat 5000 "[") }}',
        "{{ tpl .loop . }}",
        '{{ date "2006" 99999999999999999 }}',
        "{{ round 1.5 100000 }}",
    ],
)  # fmt: skip
def test_what_would_not_end_or_not_fit_is_refused_soon(template: str) -> None:
    started = time.process_time()
    error = refused(template, loop="{{ tpl .loop . }}")
    assert error.line == 1
    assert time.process_time() - started < 10


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*.*.*.*.*)x", "((a{0,100}){0,10})z"])
def test_a_pattern_that_backtracks_elsewhere_answers_at_once(pattern: str) -> None:
    started = time.process_time()
    assert render("{{ regexMatch .p .t }}", {"p": pattern, "t": "a" * 20000 + "!"}) in {"true", "false"}
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    "field", ["__class__", "__dict__", "append", "keys", "items", "format", "real", "at", "shown"]
)
def test_python_cannot_be_reached_through_a_field(field: str) -> None:
    for value in ("x", 1.0, [1.0], True):
        assert "can't evaluate field" in str(refused(f"{{{{ .value.{field} }}}}", value=value))
    assert render(f"{{{{ .value.{field} }}}}", {"value": {}}) == "<no value>"
    assert "can't evaluate field" in str(refused(f"{{{{ now.{field} }}}}".replace("now.", "(now).")))


def test_an_error_says_where_why_and_what_to_do() -> None:
    error = refused("a:\n  b: {{ .c.d | upper }}", c=5.0)
    assert (error.name, error.line, error.column) == ("base", 2, 10)
    assert error.cause == "can't evaluate field d in type interface {}"
    assert error.cure
    assert str(error).startswith('template: base:2:10: executing "base" at <.c.d>: can\'t evaluate field d')
    assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize(
    "name", ["bcrypt", "htpasswd", "genPrivateKey", "genCA", "derivePassword", "encryptAES"]
)
def test_a_function_that_is_not_supported_is_named(name: str) -> None:
    assert f"{name} is not supported" in str(refused(f'{{{{ {name} "x" "y" }}}}'))


def test_many_renderings_may_share_one_budget() -> None:
    shared = Budget(steps=2000)
    for _ in range(5):
        render("{{ range until 10 }}{{ . }}{{ end }}", {}, budgeted=shared)
    with pytest.raises(TemplateError, match="too many steps"):
        for _ in range(500):
            render("{{ range until 10 }}{{ . }}{{ end }}", {}, budgeted=shared)


def test_half_a_character_is_shown_as_a_sign_in_its_place() -> None:
    assert render('{{ trunc 2 "ě" }}{{ trunc 1 "ě" }}', {}) == "ě\ufffd"


def test_text_without_tags_is_left_alone() -> None:
    text = "plain }} text\n"
    assert render(text, {}) is text


def test_what_a_template_sets_in_a_copy_stays_there() -> None:
    params: dict[str, object] = {"m": {"a": 1.0}}
    render('{{ $c := deepCopy .m }}{{ $_ := set $c "b" 2 }}{{ $_ := merge (dict) .m }}', params)
    assert params == {"m": {"a": 1.0}}

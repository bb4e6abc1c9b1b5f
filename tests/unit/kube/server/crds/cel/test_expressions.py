"""Rules in CEL: what they see of an object, what they can ask of it, and what is refused before it runs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.kube.objects import Object
from argosy.kube.server.crds.cel import cost
from argosy.kube.server.crds.cel.environment import ABSENT, Failure, Mistake, TooCostly
from argosy.kube.server.crds.cel.names import escaped
from argosy.kube.server.crds.cel.rule import Expression, NotEvaluated
from argosy.kube.server.crds.cel.types import seen, type_of

TEXT: Object = {"type": "string"}
THING: Object = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "number": {"type": "integer"},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "texts": {"type": "array", "items": TEXT},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"name": TEXT, "at": {**TEXT, "format": "date-time"}}}},
        "labels": {"type": "object", "additionalProperties": TEXT},
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
        "started": {**TEXT, "format": "date-time"},
    },
}  # fmt: skip


def rule(text: str, schema: Object = THING) -> Expression:
    return Expression(text, schema, optional=False, wanted="bool")


def holds(text: str, value: Any = None, schema: Object = THING, old: Any = ABSENT) -> object:
    one = rule(text, schema)
    one.check()
    was = old if old is ABSENT else seen(old, schema)
    return one.run(seen({} if value is None else value, schema), was)[0]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("plain", "plain"),
        ("a-b", "a__dash__b"),
        ("a.b/c", "a__dot__b__slash__c"),
        ("a__b", "a__underscores__b"),
        ("namespace", "__namespace__"),
        ("$ref", None),
        ("1st", None),
        ("", None),
    ],
)
def test_a_field_is_written_so_that_it_is_an_identifier(name: str, written: str | None) -> None:
    assert escaped(name) == written


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (TEXT, "string"),
        ({**TEXT, "format": "byte"}, "bytes"),
        ({**TEXT, "format": "date"}, "timestamp"),
        ({"x-kubernetes-int-or-string": True}, "dyn"),
        ({"type": "array", "items": {"type": "number"}}, "list<double>"),
        ({"type": "object", "additionalProperties": {"type": "array", "items": TEXT}}, "map<string, list<string>>"),
        (THING, "object"),
        ({"x-kubernetes-preserve-unknown-fields": True}, ""),
        ({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}, ""),
    ],
)  # fmt: skip
def test_a_schema_says_of_which_type_a_value_is(schema: Object, kind: str) -> None:
    assert type_of(schema) == kind


def test_what_no_schema_describes_is_not_seen() -> None:
    assert seen({"text": "x", "anything": {"a": 1}, "more": 2}, THING) == {"text": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "self.text.find('[0-9]+') == '12' && self.text.findAll('[0-9]') == ['1', '2']",
        "self.text.findAll('[0-9]', 1) == ['1'] && self.text.find('x') == ''",
        "self.numbers.max() - self.numbers.min() == 2",
        "self.texts.isSorted() && ['b'].min() == 'b'",
        "has(self.number) && !has(self.labels)",
        "self.?labels['x'].orValue('none') == 'none'",
        "self.parts.exists_one(p, p.name == 'a')",
        "self.parts.filter(p, p.name != 'a').map(p, p.name) == ['b']",
        "self.texts.all(t, self.texts.exists(u, t == u))",
        "quantity('1Ki').isGreaterThan(quantity('1k')) && sign(quantity('-1')) == -1",
        "!cidr('10.0.0.0/8').containsCIDR('10.0.0.0/7') && cidr('::/0').ip() == ip('::')",
        "ip('fe80::1').isLinkLocalUnicast() && ip('0.0.0.0').isUnspecified() && !isIP('::ffff:1.2.3.4')",
        "ip('224.0.0.1').isLinkLocalMulticast() && !ip('10.0.0.1').isLoopback()",
        "url('http://[::1]:80/a b'.replace(' ', '%20')).getHostname() == '::1'",
        "semver('1.0.0-2').isLessThan(semver('1.0.0-10')) && semver('1.0.0-1').isLessThan(semver('1.0.0-a'))",
        "semver('v1', true) == semver('1.0.0') && !isSemver('1.01.0') && isSemver('01.1', true)",
    ],
)
def test_what_kubernetes_adds_to_the_language_is_there(text: str) -> None:
    given_thing = {
        "text": "ab12c",
        "number": 1,
        "numbers": [1, 3, 2],
        "texts": ["a", "b"],
        "parts": [{"name": "a"}, {"name": "b"}],
    }

    assert holds(text, given_thing) is True


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ("self.text == ''", {}, "no such key: text"),
        ("self.numbers[1] == 0", {"numbers": [1]}, "index out of bounds: 1"),
        ("1 / self.number == 0", {"number": 0}, "division by zero"),
        ("self.number + 9223372036854775807 > 0", {"number": 1}, "integer overflow"),
        ("[].sum() == 0 && [].min() == 0", {}, "min called on empty list"),
        ("quantity(self.text) == quantity('1')", {"text": "much"}, "quantities must match"),
        ("quantity('1').add(ip('::1')) == quantity('1')", {}, "no such overload"),
    ],
)
def test_what_goes_wrong_is_told_in_upstreams_words(text: str, value: Any, told: str) -> None:
    with pytest.raises(Failure, match=told):
        holds(text, value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("self.nothing == 1", "ERROR: <input>:1:5: undefined field 'nothing'\n | self.nothing == 1\n | ....^"),
        ("true &&\n  self.parts.all(p, p.x == '')", "ERROR: <input>:2:22: undefined field 'x'"),
        ("self.anything == 1", "undefined field 'anything'"),
        ("self.parts.map(p, p.name)[0].y == 1 || self.?z.hasValue()", "undefined field 'z'"),
        ("self.labels.any == '' && unknown", "undeclared reference to 'unknown'"),
    ],
)  # fmt: skip
def test_a_rule_about_fields_that_do_not_exist_is_refused(text: str, told: str) -> None:
    with pytest.raises(Mistake) as refused:
        rule(text).check()

    assert told in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "format.dns1123Label().validate(self.text).hasValue()",
        "self.started.getFullYear() > 2020",
        "self.parts.all(p, p.at > self.started)",
        "self.numbers.indexOf(3) == 1",
        "string(ip('::1')) == '::1'",
        "{'a': 1}.transformMap(k, v, v).size() == 1",
        "self.text.find('a*?b') == ''",
        "self.text.find(self.text) == ''",
    ],
)
def test_what_this_cluster_cannot_run_is_known_when_it_is_written(text: str) -> None:
    with pytest.raises(NotEvaluated):
        rule(text).check()


def test_a_time_that_is_the_whole_value_can_be_asked() -> None:
    moment = {"type": "string", "format": "date-time"}

    assert holds("self.getFullYear() == 2024", "2024-01-01T00:00:00Z", moment) is True
    assert holds("self > duration('90m')", "1h31m", {"type": "string", "format": "duration"}) is True


def test_a_rule_looks_back_only_where_there_was_something() -> None:
    assert holds("self.number >= oldSelf.number", {"number": 2}, old={"number": 1}) is True
    assert rule("self.number >= oldSelf.number").looks_back
    assert not rule("self.number >= 0").looks_back


def test_an_optional_old_value_may_be_missing() -> None:
    one = Expression(
        "oldSelf.orValue({'number': 0}).number < self.number", THING, optional=True, wanted="bool"
    )

    assert one.run({"number": 1}, ABSENT)[0] is True
    assert one.run({"number": 1}, {"number": 1})[0] is False


def test_a_mistake_beside_an_optional_old_value_is_told_at_its_place() -> None:
    with pytest.raises(Mistake, match=r"<input>:1:9: undeclared reference to 'x'"):
        Expression("true || x", THING, optional=True, wanted="bool").check()


HEAVY = [
    ("self.numbers.map(x, x).size() > 0", {"numbers": list(range(3000))}),
    ("self.numbers.all(x, self.numbers.all(y, self.numbers.all(z, x + y + z >= 0)))", {"numbers": list(range(99))}),
    ("self.numbers.map(x, self.text + self.text).size() > 0", {"numbers": list(range(2000)), "text": "a" * 500_000}),
    ("self.numbers.all(x, self.text.contains('b'))", {"numbers": list(range(2000)), "text": "a" * 500_000}),
    ("self.texts.all(x, x.matches('(a{1,30}){1,30}'))", {"texts": ["a"] * 2000}),
    ("self.text.matches(self.text)", {"text": "a"}),
    ("lists.range(100000000).size() > 0", {}),
    ("self.text.replace('a', self.text).size() > 0", {"text": "a" * 100_000}),
    ("[self.text].map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x)[0].size() > 0", {"text": "a" * 2_000_000}),
    ("self.parts == self.parts", {"parts": [{"name": "x"}] * 60_000}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), HEAVY)
def test_what_might_take_long_is_not_begun(text: str, value: Any) -> None:
    with pytest.raises(TooCostly):
        holds(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("self.parts.all(p, self.parts.exists_one(q, p.name == q.name))", {"parts": [{"name": f"part-{at}"} for at in range(64)]}),
        ("self.texts.all(t, t.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))", {"texts": [f"text-{at}" for at in range(256)]}),
        ("self.numbers.filter(x, x > 3).size() > 3", {"numbers": list(range(500))}),
        ("self.text.size() < 2000000 && !self.text.contains('x')", {"text": "a" * 100_000}),
        ("self.text.find('^[^/]+').endsWith('io')", {"text": "node.kubernetes.io/" + "a" * 200}),
    ],
)  # fmt: skip
def test_what_real_definitions_ask_is_not_too_much(text: str, value: Any) -> None:
    assert holds(text, value) is True


@settings(max_examples=50)
@given(
    st.recursive(
        st.text() | st.integers() | st.booleans(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
    )
)
def test_a_value_is_measured_as_no_smaller_than_it_is(value: Any) -> None:
    found = cost.size(value)

    assert found.whole >= found.text
    assert found.values >= found.count
    assert found.whole >= len(str(value).encode()) / 8


def test_the_library_is_loaded_by_the_first_rule_only() -> None:
    program = (
        "import sys, argosy.kube.server.opening as _, argosy.kube.server.crds.cel.rules as rules\n"
        "assert rules.rules_of({'type': 'object', 'properties': {'a': {'type': 'string'}}}) is None\n"
        "assert not any(one.startswith('cel_expr_python') for one in sys.modules)\n"
        "found = rules.rules_of({'type': 'object', 'x-kubernetes-validations': [{'rule': 'true'}]})\n"
        "assert found is not None and found.judge({}).causes == []\n"
        "assert 'cel_expr_python.cel' in sys.modules\n"
    )

    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)

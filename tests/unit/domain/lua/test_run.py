"""What a script is given, what it gives back, and what is said when it fails."""

from __future__ import annotations

import pytest

from argosy.domain.lua import LuaError, repaired, run

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "generation": 3, "labels": {}, "annotations": None},
    "spec": {
        "replicas": 2,
        "weights": [1, 2.5],
        "paused": False,
        "containers": [{"name": "a", "resources": {}}],
    },
}


def evaluated(expression: str, *, open_libs: bool = False) -> object:
    return run(f"return {expression}", DEPLOYMENT, name="test", open_libs=open_libs)


@pytest.mark.parametrize(
    "expression, value",
    [
        ("obj.metadata.name", "web"),
        ("'at ' .. obj.metadata.generation", "at 3"),
        ("tostring(obj.spec.weights[2])", "2.5"),
        ("obj.spec.weights[1]", 1),
        ("#obj.spec.weights", 2),
        ("table.getn(obj.spec.containers)", 1),
        ("obj.metadata.annotations == nil", True),
        ("obj.spec.paused == false", True),
        ("obj.status", None),
        ("{1, {a = 'x'}, {}}", [1, {"a": "x"}, []]),
        (
            "{a = 1.5, b = 'quote \" and \\n line', c = true}",
            {"a": 1.5, "b": 'quote " and \n line', "c": True},
        ),
        ("'käse'", "käse"),
        ("2^53", 2**53),
    ],
)
def test_objects_are_tables_and_results_are_plain_data(expression: str, value: object) -> None:
    assert evaluated(expression) == value


def test_whole_numbers_stay_whole() -> None:
    assert isinstance(evaluated("obj.spec.replicas + 1"), int)


def test_goto_works_as_in_luajit() -> None:
    script = "for i = 1, 3 do if i < 3 then goto continue end do return i end ::continue:: end"
    assert run(script, {}, name="test") == 3


def test_a_part_that_stands_twice_in_the_object_is_seen_twice() -> None:
    shared = {"name": "x"}
    assert (
        run(
            "return obj.a[1].name .. obj.a[2].name .. obj.b.name",
            {"a": [shared, shared], "b": shared},
            name="test",
        )
        == "xxx"
    )


def test_more_globals_can_be_given() -> None:
    assert (
        run("return actionParams.replicas", {}, name="test", extra={"actionParams": {"replicas": "3"}}) == "3"
    )


def test_nothing_is_left_for_the_next_script() -> None:
    run("left = 'behind'; table.insert = nil; _G.pairs = nil", {}, name="test")
    assert run("return {left == nil, table.insert ~= nil, pairs ~= nil}", {}, name="test") == [
        True,
        True,
        True,
    ]


def test_only_the_small_libraries_are_open_by_default() -> None:
    assert evaluated("{string == nil, math == nil, coroutine == nil}") == [True, True, True]
    assert evaluated("{string ~= nil, math ~= nil, coroutine ~= nil}", open_libs=True) == [True, True, True]
    with pytest.raises(LuaError, match="attempt to index"):
        evaluated("('x'):upper()")
    assert evaluated("('x'):upper()", open_libs=True) == "X"


def test_the_clock_is_there_with_and_without_asking_for_it() -> None:
    assert evaluated("type(require('os').time()) .. #os.date('!%Y-%m-%dT%XZ')") == "number20"


@pytest.mark.parametrize(
    "script, words",
    [
        ("return obj.a.b", "rule:1: attempt to index field 'a' (a nil value)"),
        ("\n\nerror('no such luck')", "rule:3: no such luck"),
        ("error('no position', 0)", "rule: no position"),
        ("return (", "rule:1: unexpected symbol near '<eof>'"),
        ("require('socket')", "rule:1: module 'socket' not found"),
        ("error({})", "rule: (error object is a table value)"),
        ("return {1, a = 2}", "rule: cannot encode mixed or invalid key types"),
        ("return {[1] = 1, [3] = 3}", "rule: cannot encode sparse array"),
        ("local t = {} t.t = t return t", "rule: cannot encode recursively nested tables to JSON"),
        ("return print", "rule: cannot encode function to JSON"),
        ("return 0/0", "rule: the result holds a number that JSON has not"),
        ("\x1bLJ\x02", "rule: the script is compiled Lua, its source is needed"),
        (" " * 200_000, "rule: the script is longer than 128 KiB"),
    ],
)
def test_a_failure_says_the_name_the_line_and_the_cause(script: str, words: str) -> None:
    with pytest.raises(LuaError) as failure:
        run(script, {}, name="rule")
    assert str(failure.value).startswith(words)
    assert "\n" not in str(failure.value)


def test_an_object_that_is_no_json_is_refused() -> None:
    nested: dict[str, object] = {}
    inner = nested
    for _ in range(100_000):
        inner["a"] = inner = {}
    with pytest.raises(LuaError, match="no plain JSON"):
        run("return 1", nested, name="rule")
    with pytest.raises(LuaError, match="not UTF-8|no plain JSON"):
        run("return 1", {"a": "\ud800"}, name="rule")


def test_text_cut_within_a_letter_is_an_error_and_no_crash() -> None:
    with pytest.raises(LuaError, match="not UTF-8"):
        run("return string.sub('ä', 1, 1)", {}, name="rule", open_libs=True)


def test_empty_maps_come_back_as_the_source_had_them() -> None:
    result = run("return obj", DEPLOYMENT, name="test")
    assert isinstance(result, dict)
    assert result["metadata"]["labels"] == []
    whole = repaired(result, DEPLOYMENT)
    assert whole["metadata"]["labels"] == {}
    assert whole["spec"]["containers"] == [{"name": "a", "resources": {}}]


def test_an_empty_map_within_a_list_is_repaired_and_a_new_list_is_left_alone() -> None:
    source = {"ingress": [{}, {"from": []}]}
    assert repaired({"ingress": [[], {"from": []}, []], "new": []}, source) == {
        "ingress": [{}, {"from": []}, []],
        "new": [],
    }

"""Patterns matched in Lua itself answer what those in C answer."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lupa import luajit21

from argosy.domain.lua import LuaError, run

CALLS = {
    "find": "string.find(obj.text, obj.pattern, obj.from)",
    "match": "string.match(obj.text, obj.pattern, obj.from)",
    "gsub": "string.gsub(obj.text, obj.pattern, obj.by, obj.most)",
    "gmatch": "(function() local all = {} for a, b in string.gmatch(obj.text, obj.pattern) do all[#all + 1] = tostring(a) .. tostring(b) end return unpack(all) end)()",
}
native = luajit21.LuaRuntime()
pieces = st.sampled_from(
    ["a", "b", ".", "%a", "%d", "%s", "[ab]", "[^a]", "[a-c]", "a*", "b-", ".-", ".*", "a+", "b?", "(", ")", "()", "%1", "%b()", "%f[a]", "^", "$",
     "%", "%%", "%.", "[", "]", "[]]", "[^]]", "-", "x"]
)  # fmt: skip
patterns = st.lists(pieces, max_size=5).map("".join)
texts = st.text("aab b1().x]\n", max_size=8)


def of_c(call: str, given_: dict[str, object]) -> tuple[object, ...] | str:
    function = native.eval(f"function(obj) return {call} end")
    try:
        result = function(native.table_from(given_))
    except luajit21.LuaError as error:
        return f"error: {error}".partition("\n")[0]
    return result if isinstance(result, tuple) else (result,)


def of_ours(call: str, given_: dict[str, object]) -> tuple[object, ...] | str:
    script = f"local all = {{{call}}} local out = {{}} for i = 1, table.maxn(all) do out[i] = all[i] == nil and 'nil' or all[i] end return out"
    try:
        found = run(script, given_, name="test", open_libs=True)
    except LuaError as error:
        return f"error: {error}"
    assert isinstance(found, list)
    return tuple(found) if found else (None,)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(sorted(CALLS)),
    texts,
    patterns,
    st.integers(-9, 9),
    st.sampled_from(["", "<%0>", "%1", "z", "%%"]),
    st.integers(0, 4),
)
def test_they_agree_on_any_pattern(
    call: str, text: str, pattern: str, start: int, by: str, most: int
) -> None:
    given_ = {"text": text, "pattern": pattern, "from": start, "by": by, "most": most}
    expected, found = of_c(CALLS[call], given_), of_ours(CALLS[call], given_)
    if isinstance(expected, str) or isinstance(found, str):
        # C sees a malformed pattern only when it comes so far; ours reads it whole first.
        assume(not isinstance(found, str) or isinstance(expected, str))
        assert isinstance(found, str)
    else:
        assert found == expected


@pytest.mark.parametrize(
    "expression, value",
    [
        ("string.find('a.b', '.', 2, true)", 2),
        ("string.find('abc', 'c')", 3),
        ("string.match('key = value', '^(%w+)%s*=%s*(%w+)$')", "key"),
        ("string.match('2024-05-06T07:08:09Z', '(%d+)-(%d+)')", "2024"),
        ("(string.gsub('hello world', 'o', '0', 1))", "hell0 world"),
        ("(string.gsub('abc', '%w', {a = '1', b = true}))", None),
        ("(string.gsub('$name is', '%$(%w+)', {name = 'Lua'}))", "Lua is"),
        ("(string.gsub('abc', '', '-'))", "-a-b-c-"),
        ("(string.gsub('abc', '%w', string.upper))", "ABC"),
        ("string.match('f(a(b)c)d', '%b()')", "(a(b)c)"),
        ("string.match('THE (quick) fox', '%f[%a]%a+', 5)", "quick"),
        ("string.match('héllo', '[^%z\\1-\\127]+')", "é"),
        ("(12):rep(2)", None),
        ("('x'):rep(3, ',')", "x,x,x"),
    ],
)
def test_they_do_what_the_manual_says(expression: str, value: object) -> None:
    if value is None:
        with pytest.raises(LuaError):
            run(f"return {expression}", {}, name="test", open_libs=True)
    else:
        assert run(f"return {expression}", {}, name="test", open_libs=True) == value

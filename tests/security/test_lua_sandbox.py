"""Scripts that want to stay, grow or get out. Each of them is stopped, and the next script runs as if nothing had been."""

from __future__ import annotations

import time

import pytest

from argosy.domain.lua import LuaError, run

ENDLESS = {
    "a loop": "while true do end",
    "goto": "::again:: goto again",
    "a for with no end": "for i = 1, math.huge do end",
    "pcall around it": "while true do pcall(function() while true do end end) end",
    "pcall in pcall": "local function again() pcall(again) while true do pcall(again) end end again()",
    "a handler that never returns": "xpcall(error, function() while true do end end)",
    "a handler of the limit": "while true do xpcall(function() while true do end end, function() while true do end end) end",
    "coroutines": "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
    "wrapped coroutines": "while true do pcall(coroutine.wrap(function() while true do end end)) end",
    "yielding": "local step = coroutine.wrap(function() while true do coroutine.yield() end end) while true do step() end",
    "a metamethod": "local t = setmetatable({}, {__index = function() while true do end end}) return t.x",
    "a metamethod in the result": "return setmetatable({1, nil, 3}, {__index = function() while true do end end})",
    "tostring": "return tostring(setmetatable({}, {__tostring = function(t) while true do end end}))",
    "a comparison": "table.sort({3, 1, 2, 5, 4}, function() while true do end end)",
    "sorting for ever": "local t = {} for i = 1, 20000 do t[i] = i % 7 end while true do table.sort(t) end",
    "a pattern": "return string.find(string.rep('a', 30000), '.-.-.-.-.-.-b')",
    "optional letters": "return string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40) .. 'b')",
    "a pattern for gsub": "return string.gsub(string.rep('a', 100000), '.-b', '')",
    "a pattern for gmatch": "for found in string.gmatch(string.rep('a', 100000), '.-b') do end",
    "a long text in a long text": "return string.find(string.rep('a', 1e6), string.rep('a', 5e5) .. 'b', 1, true)",
    "errors from deep below": "local function deep() pcall(deep) return 1 + deep() end return deep()",
    "at the end of the stack": "local function at(n) if n > 0 then return 1 + at(n - 1) end while true do pcall(pcall, error) end end for n = 1, 1e6 do pcall(at, n * 50) end",
    "sorting within sorting": "local function again() table.sort({2, 1, 3}, again) return true end while true do pcall(again) end",
    "formatting within formatting": "local t = {} setmetatable(t, {__tostring = function() return string.format('%s', t) end}) while true do pcall(tostring, t) end",
    "a coroutine in a coroutine": "local function again() coroutine.wrap(again)() end while true do pcall(again) end",
    "replacing within replacing": "local function again() return (string.gsub('aa', 'a', again)) end while true do pcall(again) end",
    "at the end of memory": "local all = {} pcall(function() while true do all[#all + 1] = {} end end) while true do pcall(function() return {} end) end",
    "copies of a long text": "local text = string.rep('x', 1e6) while true do local copy = text .. 'a' end",
    "many long texts": "while true do local text = string.rep('x', 1e6) end",
    "upper case": "local text = string.rep('x', 1e6) while true do local copy = text:upper() end",
    "a number of a million digits": "local text = string.rep('1', 1e6) while true do local n = tonumber(text) end",
    "comparing long texts": "local a, b = string.rep('x', 1e6) .. 'a', string.rep('x', 1e6) .. 'b' while true do local c = a < b end",
    "asking for too much": "while true do pcall(string.rep, 'x', 1e9) end",
    "shifting a list": "local t = {} while true do table.insert(t, 1, 1) end",
    "many arguments": "while true do select('#', unpack({}, 1, 7900)) end",
    "dates": "while true do os.date('%c') end",
}  # fmt: skip
GREEDY = {
    "one long text": "return string.rep('x', 1e9)",
    "doubling": "local text = 'x' while true do text = text .. text end",
    "tables": "local all = {} for i = 1, 1e7 do all[i] = {i} end",
    "coroutines": "local all = {} while true do all[#all + 1] = coroutine.create(function() end) end",
    "joined": "local t = {} for i = 1, 100 do t[i] = string.rep('x', 100000) end return table.concat(t)",
    "a deep result": "local t = {} local root = t for i = 1, 1e6 do t.t = {} t = t.t end return root",
}  # fmt: skip
ESCAPES = [
    "os.execute", "os.getenv", "os.exit", "os.remove", "os.clock", "io", "debug", "jit", "ffi", "python", "package", "bit", "load", "loadstring",
    "loadfile", "dofile", "module", "newproxy", "collectgarbage", "gcinfo", "getfenv", "setfenv", "string.dump",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _unharmed():
    yield
    assert run("return obj.a .. ('x'):upper()", {"a": "b"}, name="after", open_libs=True) == "bX"


@pytest.mark.parametrize("script", ENDLESS.values(), ids=ENDLESS)
def test_what_does_not_end_is_stopped(script: str) -> None:
    started = time.thread_time()
    with pytest.raises(LuaError, match="hostile: stopped"):
        run(script, {}, name="hostile", open_libs=True)
    assert (
        time.thread_time() - started < 0.5
    )  # the fence promises 20 ms; this is what a busy machine may make of them


@pytest.mark.parametrize("script", GREEDY.values(), ids=GREEDY)
def test_what_grows_is_stopped(script: str) -> None:
    with pytest.raises(LuaError, match="hostile: stopped"):
        run(script, {}, name="hostile", open_libs=True)


def test_memory_that_a_script_filled_is_free_for_the_next() -> None:
    for _ in range(50):
        with pytest.raises(LuaError):
            run(
                "local all = {} while true do all[#all + 1] = string.rep('x', 1e5) .. #all end",
                {},
                name="hostile",
                open_libs=True,
            )
    assert run("return #string.rep('x', 1e6)", {}, name="after", open_libs=True) == 1_000_000


@pytest.mark.parametrize("what", ESCAPES)
@pytest.mark.parametrize("open_libs", [False, True])
def test_what_leads_out_is_not_there(what: str, open_libs: bool) -> None:
    table, _, field = what.rpartition(".")
    reached = f"_G['{table}'] == nil or _G['{table}']['{field}'] == nil" if table else f"_G['{field}'] == nil"
    assert run(f"return {reached}", {}, name="test", open_libs=open_libs) is True
    with pytest.raises(LuaError, match="not found"):
        run(f"return require('{(table or field)}x')", {}, name="test", open_libs=open_libs)


@pytest.mark.parametrize("module", ["ffi", "jit", "io", "debug", "package", "python", "bit", "table.new"])
def test_no_module_can_be_loaded(module: str) -> None:
    with pytest.raises(LuaError, match="not found"):
        run(f"return require('{module}')", {}, name="test", open_libs=True)


@pytest.mark.parametrize(
    "script",
    [
        "getmetatable('').__index = function() return function() return 'mine' end end",
        "getmetatable('x').__index.upper = function() return 'mine' end",
        "setmetatable('', {})",
        "string.upper = nil _G.string = nil",
        "rawset(_G, 'pairs', nil) _G.error = nil _G.type = nil",
        "setmetatable(_G, {__index = error, __newindex = error})",
    ],
)
def test_one_script_cannot_change_what_another_sees(script: str) -> None:
    try:
        run(script, {}, name="hostile", open_libs=True)
    except LuaError:
        pass
    assert (
        run("return ('x'):upper() .. type(pairs) .. string.lower('A')", {}, name="after", open_libs=True)
        == "Xfunctiona"
    )


def test_everything_that_can_be_reached_is_plain_lua() -> None:
    """No Python object is among the globals, however deep one looks: such a thing would be userdata."""
    script = """
      local seen, found = {}, {}
      local function look(value, path)
        found[type(value)] = true
        if type(value) == "userdata" or type(value) == "thread" or type(value) == "cdata" then error(path) end
        if type(value) ~= "table" or seen[value] then return end
        seen[value] = true
        for key, item in pairs(value) do look(item, path .. "." .. tostring(key)) end
        look(getmetatable(value), path .. "!")
      end
      look(_G, "_G")
      return found
    """
    assert run(script, {"a": [1, {"b": True}]}, name="test", open_libs=True) == dict.fromkeys(
        ("table", "function", "string", "number", "boolean", "nil"), True
    )

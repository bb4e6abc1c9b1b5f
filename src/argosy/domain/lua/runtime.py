"""The Lua runtimes of a process, one with the small set of libraries and one with all of them, and running a script in one.

LuaJIT with its compiler off: compiled traces look at no hook, so no limit would hold. The module is loaded when the first script runs.
Scripts take turns: a runtime is not made for two threads, and none holds it for longer than `SECONDS`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from argosy.kube.objects import Object

if TYPE_CHECKING:
    from lupa.luajit21 import LuaRuntime

MOST_STEPS = 500_000
"""Instructions. A health script takes some hundreds."""
SECONDS = 0.008
"""Of processor time: with what the last instructions before it may take, the event loop waits less than 20 ms."""
MEMORY = 4 * 1024 * 1024
"""Beside the object itself."""
LARGEST_SCRIPT = 128 * 1024
KEPT_SCRIPTS = 512

Compiled: TypeAlias = object
_Call: TypeAlias = Callable[[Compiled, object, int, float], "str | tuple[None, str, str | None]"]


class LuaError(Exception):
    """What a script did wrong, for people: its name, the line, the cause."""


def run(
    script: str,
    obj: Object,
    *,
    name: str,
    extra: Mapping[str, Object] | None = None,
    open_libs: bool = False,
    steps: int = MOST_STEPS,
) -> object:
    """The script's result as plain data; an empty table is an empty list (`repaired` undoes that). It sees the global `obj`, and `extra` as globals."""
    return _runtime(open_libs).run(script, _plain({"obj": obj, **(extra or {})}, name), name, steps)


class Runtime:
    """A Lua state, its fence, and the scripts it has compiled."""

    def __init__(self, *, open_libs: bool) -> None:
        from lupa import luajit21

        self._errors: type[Exception] = luajit21.LuaError
        self._turn = threading.Lock()
        self._lua: LuaRuntime = luajit21.LuaRuntime(
            register_eval=False,
            register_builtins=False,
            attribute_filter=_nothing,
            overflow_handler=float,
            max_memory=0,
        )
        self._lua.execute("jit.off() python = nil package.loaded.python = nil")
        patterns = self._lua.execute(_source("patterns.lua"), name="=patterns")
        encode = self._lua.execute(_source("encode.lua"), name="=encode")
        self._call: _Call = self._lua.execute(
            _source("sandbox.lua"), patterns, encode, open_libs, name="=sandbox"
        )
        self._load = self._lua.eval("function(source, name) return loadstring(source, name) end")
        self._collect = self._lua.eval("collectgarbage")
        self._compiled: OrderedDict[tuple[str, str], Compiled] = OrderedDict()

    def run(self, script: str, globals_: Object, name: str, steps: int) -> object:
        with self._turn:
            try:
                return self._run(self._function(script, name), globals_, name, steps)
            except UnicodeError as error:
                raise LuaError(f"{name}: text that is not UTF-8") from error

    def _run(self, function: Compiled, globals_: Object, name: str, steps: int) -> object:
        given = self._lua.table_from(globals_, recursive=True)
        self._lua.set_max_memory(self._lua.get_memory_used(total=True) + MEMORY, total=True)
        try:
            answer = self._call(function, given, steps, SECONDS)
        except self._errors as error:  # no memory is left even to say so
            answer = (None, str(error), None)
        finally:
            self._lua.set_max_memory(0)
        if isinstance(answer, str):
            decoded: object = msgspec.json.decode(answer)
            return decoded
        self._collect()  # what went wrong may have left much behind
        _, cause, spent = answer
        raise LuaError(_words(name, cause, spent, steps))

    def _function(self, script: str, name: str) -> Compiled:
        key = (script, name)
        if (known := self._compiled.get(key)) is not None:
            self._compiled.move_to_end(key)
            return known
        if len(script) > LARGEST_SCRIPT:
            raise LuaError(f"{name}: the script is longer than {LARGEST_SCRIPT // 1024} KiB")
        if script.startswith("\x1b"):
            raise LuaError(f"{name}: the script is compiled Lua, its source is needed")
        made = self._load(script, f"={name}")
        if isinstance(made, tuple):
            raise LuaError(str(made[1]))
        self._compiled[key] = made
        if len(self._compiled) > KEPT_SCRIPTS:
            self._compiled.popitem(last=False)
        return made


@cache
def _runtime(open_libs: bool) -> Runtime:
    return Runtime(open_libs=open_libs)


def _source(name: str) -> str:
    return files(__package__).joinpath(name).read_text()


def _nothing(_obj: object, name: object, _setting: bool) -> str:
    raise AttributeError(f"{name} is not for scripts")


def _words(name: str, cause: str, spent: str | None, steps: int) -> str:
    if spent == "steps":
        return f"{name}: stopped after {steps} steps: it does not come to an end"
    if spent == "time":
        return f"{name}: stopped after {SECONDS * 1000:.0f} ms of processor time: it takes too long"
    if spent == "stack":
        return f"{name}: stopped: its calls are nested too deeply"
    if spent == "memory" or not cause:
        return f"{name}: stopped at {MEMORY // 1024 // 1024} MiB of memory"
    return cause if cause.startswith(f"{name}:") else f"{name}: {cause}"


def _plain(globals_: Mapping[str, Object], name: str) -> Object:
    """A copy in which no part stands twice, as in JSON: lupa loses parts that are shared."""
    try:
        copied: Object = msgspec.json.decode(msgspec.json.encode(globals_))
    except (RecursionError, TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise LuaError(f"{name}: the object is no plain JSON: {error}") from error
    return copied

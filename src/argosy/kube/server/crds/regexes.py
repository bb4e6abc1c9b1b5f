"""Whether a text matches a pattern, in time that grows with the text only.

Python's `re` tries one way after the other; with loops inside loops a short text can keep it busy for years, and one process serves
everybody. Patterns that may do that run in a machine that follows all ways at once (Thompson's), the others in `re`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from argosy.kube.server.crds.regex_syntax import parse
from argosy.kube.server.crds.regex_tree import Assert, Assertion, Chars, Choice, Node, Repeat, Sequence

_WORD = "[0-9A-Za-z_]"
_ASSERTIONS: dict[Assertion, str] = {
    "begin": r"\A",
    "end": r"\Z",
    "line begin": r"(?m:^)",
    "line end": r"(?m:$)",
    "word": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    "no word": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
}
_FEW_LOOPS, _LONG = 2, 256
_LAZY = re.compile(r"[*+?}]\?")


@lru_cache(maxsize=4096)
def matcher(pattern: str) -> Callable[[str], bool]:
    """`RegexError` when the pattern cannot be read. It may match anywhere in the text, unless it says where."""
    tree = parse(pattern)
    machine = _Machine(tree)
    if _needs_machine(tree):
        return lru_cache(maxsize=256)(machine.matches)
    search = re.compile(_python(tree)).search
    if _loops(tree) <= _FEW_LOOPS:
        return lambda text: search(text) is not None
    # A row of loops takes time that grows with a power of the text's length: harmless while it is short.
    return lambda text: search(text) is not None if len(text) < _LONG else machine.matches(text)


class Finder(NamedTuple):
    """Finds the first match as Go does. It takes time that grows with this power of the text's length."""

    pattern: re.Pattern[str]
    power: int


@lru_cache(maxsize=512)
def finder(pattern: str) -> Finder | None:
    """None where `re` might find another match than Go, or search for too long. `RegexError` when the pattern cannot be read."""
    tree = parse(pattern)
    if _LAZY.search(pattern) or _needs_machine(tree):
        return None
    anchored = isinstance(tree, Sequence) and tree.parts[:1] == (Assert("begin"),)
    return Finder(re.compile(_python(tree)), max(_loops(tree) + (not anchored), 1))


def _needs_machine(node: Node, *, looping: bool = False) -> bool:
    match node:
        case Chars(properties=properties):
            return bool(properties)
        case Repeat(inner, _, most):
            is_loop = most is None or most > 1
            return (looping and is_loop) or _needs_machine(inner, looping=looping or is_loop)
        case Choice(branches):
            return looping or any(_needs_machine(one, looping=looping) for one in branches)
        case Sequence(parts):
            return any(_needs_machine(one, looping=looping) for one in parts)
    return False


def _loops(node: Node) -> int:
    match node:
        case Repeat(inner, _, most):
            return _loops(inner) + (most is None or most > 1)
        case Sequence(parts) | Choice(parts):
            return sum(map(_loops, parts))
    return 0


def _python(node: Node) -> str:
    match node:
        case Chars():
            return _python_class(node)
        case Sequence(parts):
            return "".join(map(_python, parts))
        case Choice(branches):
            return "(?:" + "|".join(map(_python, branches)) + ")"
        case Repeat(inner, least, most):
            return f"(?:{_python(inner)}){{{least},{'' if most is None else most}}}"
        case Assert(what):
            return _ASSERTIONS[what]


def _python_class(chars: Chars) -> str:
    inside = "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in chars.ranges)
    if not inside:
        return "[\\U00000000-\\U0010ffff]" if chars.negated else "(?!)"
    text = f"[{'^' if chars.negated else ''}{inside}]"
    return f"(?i:{text})" if chars.folded else text


class _State(NamedTuple):
    """`chars`: goes on to the first of `next` with such a character. Otherwise it goes on to all of them at once, if `asserts` holds."""

    chars: Chars | None
    asserts: Assertion | None
    next: tuple[int, ...]


class _Machine:
    def __init__(self, tree: Node) -> None:
        self._states: list[_State] = [_State(None, None, ())]
        self._tree = tree
        self._start = -1

    def matches(self, text: str) -> bool:
        if self._start < 0:
            self._start = self._made(self._tree, 0)
        reached: set[int] = set()
        for at in range(len(text) + 1):
            active = self._closure(reached | {self._start}, text, at)
            if 0 in active:
                return True
            if at == len(text):
                return False
            states, char = self._states, text[at]
            reached = {
                states[one].next[0]
                for one in active
                if (chars := states[one].chars) is not None and chars.holds(char)
            }
        return False

    def _closure(self, start: set[int], text: str, at: int) -> set[int]:
        """Every state that is reached without reading on."""
        seen, todo = set(start), list(start)
        while todo:
            state = self._states[todo.pop()]
            if state.chars is not None or (state.asserts and not _holds(state.asserts, text, at)):
                continue
            for one in state.next:
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        return seen

    def _made(self, node: Node, after: int) -> int:
        """The state in which a part begins that ends in `after`."""
        match node:
            case Chars():
                return self._add(_State(node, None, (after,)))
            case Assert(what):
                return self._add(_State(None, what, (after,)))
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._made(part, after)
                return after
            case Choice(branches):
                return self._add(_State(None, None, tuple(self._made(one, after) for one in branches)))
            case Repeat(inner, least, most):
                return self._repeated(inner, least, most, after)

    def _repeated(self, inner: Node, least: int, most: int | None, after: int) -> int:
        if most is None:
            loop = self._add(_State(None, None, ()))
            self._states[loop] = _State(None, None, (self._made(inner, loop), after))
            start = loop
        else:
            start = after
            for _ in range(most - least):
                start = self._add(_State(None, None, (self._made(inner, start), after)))
        for _ in range(least):
            start = self._made(inner, start)
        return start

    def _add(self, state: _State) -> int:
        self._states.append(state)
        return len(self._states) - 1


def _holds(what: Assertion, text: str, at: int) -> bool:
    match what:
        case "begin":
            return at == 0
        case "end":
            return at == len(text)
        case "line begin":
            return at == 0 or text[at - 1] == "\n"
        case "line end":
            return at == len(text) or text[at] == "\n"
    between = _is_word(text[at - 1 : at] if at else "") is not _is_word(text[at : at + 1])
    return between is (what == "word")


def _is_word(char: str) -> bool:
    return char == "_" or (char.isascii() and char.isalnum())

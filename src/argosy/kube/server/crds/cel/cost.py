"""How long an expression may take at most, before it runs: it runs on the one loop that serves everybody, and nothing can stop it.

Upstream counts while it runs and stops. The library here cannot, so the work is bounded from the expression and the size of the value:
how often each loop goes round, how long the texts are that are compared, joined and searched. The units are nanoseconds
of a slow machine, measured; what might take longer than `MOST` is refused as upstream refuses what costs too much.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from argosy.kube.server.crds.cel.patterns import searchable
from argosy.kube.server.crds.cel.tree import Apply, Literal, Loop, Name, Select, Several, Tree
from argosy.kube.server.crds.regex_syntax import RegexError, parse
from argosy.kube.server.crds.regex_tree import Choice, Node, Repeat, Sequence

MOST: Final = 20_000_000
"""Of one rule."""
MOST_TOGETHER: Final = 100_000_000
"""Of all rules, for one object."""
_ROUNDS: Final = 10_000
"""The library itself goes no more often round, counted over all loops of an expression."""
_NODE, _GIVEN, _APPENDED, _CALL = 60, 600, 32, 3_000
_NEVER: Final = 1 << 60
_CHEAP = frozenset(
    [
        "_&&_",
        "_||_",
        "!_",
        "-_",
        "@not_strictly_false",
        "_[_]",
        "_[?_]",
        "_?._",
        "_?:_",
        "_?_:_",
        "type",
        "dyn",
        "int",
        "uint",
        "double",
        "bool",
    ]
)
_COMPARED = frozenset(["_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"])
_SEARCHED = frozenset(["contains", "indexOf", "lastIndexOf", "split", "replace", "startsWith", "endsWith"])
_PAIRED = frozenset(["sets.contains", "sets.equivalent", "sets.intersects", "distinct"])


@dataclass(frozen=True, slots=True)
class Size:
    """Of a value: all of it in bytes, its longest text, its longest list or map, and how many values are in it."""

    whole: int
    text: int
    count: int
    values: int


@dataclass(frozen=True, slots=True)
class _Bound:
    """Of what an expression becomes."""

    size: int
    count: int
    flat: bool = False
    """Whether it is a text or a number."""
    listed: bool = False
    """Whether it is a list or map that the expression made itself."""


class TooLarge(Exception):
    """More than any rule could look at in time."""


def size(*values: object) -> Size:
    whole = text = count = seen = 0
    todo = list(values)
    while todo:
        one = todo.pop()
        seen += 1
        if type(one) is str or type(one) is bytes:
            length = len(one) if type(one) is bytes or one.isascii() else 4 * len(one)
            whole += length
            text = max(text, length)
        elif type(one) is dict or type(one) is list:
            count = max(count, len(one))
            todo += one.values() if type(one) is dict else one
            if type(one) is dict:
                whole += sum(map(len, one))
        if seen * _GIVEN > MOST:
            raise TooLarge
    return Size(whole + 8 * seen, text, count, seen)


class Cost:
    """Of one expression. `flat`: the places in it that are single texts or numbers, as its schema says."""

    def __init__(self, tree: Tree, flat: Collection[int]) -> None:
        self._tree, self._flat = tree, frozenset(flat)
        self._known: dict[tuple[int, int, int], int] = {}

    def bound(self, of: Size) -> int:
        """Sizes are rounded up a little, so that most answers are known."""
        key = _rounded(of.whole), _rounded(of.text), _rounded(of.count)
        if key not in self._known:
            counter = _Counter(Size(*key, 0), self._flat)
            counter.walk(self._tree, {}, 1)
            self._known[key] = counter.cost
        return self._known[key] + of.values * _GIVEN


def _rounded(number: int) -> int:
    """To its first four binary digits."""
    rest = max(number.bit_length() - 4, 0)
    return -(-number >> rest) << rest


class _Counter:
    def __init__(self, of: Size, flat: Collection[int]) -> None:
        self._of, self._flat = of, flat
        self.cost = 0

    def walk(self, tree: Tree, scope: Mapping[str, _Bound], times: int) -> _Bound:
        self.cost = min(self.cost + _NODE * times, _NEVER)
        found = self._walked(tree, scope, times)
        return _Bound(self._of.text + 8, 0, flat=True) if tree.place in self._flat else found

    def _walked(self, tree: Tree, scope: Mapping[str, _Bound], times: int) -> _Bound:
        match tree:
            case Literal(size=length):
                return _Bound(length, length, flat=True)
            case Name(name=name):
                return scope.get(name) or _Bound(self._of.whole, self._of.count)
            case Select(operand=operand):
                return self._part(self.walk(operand, scope, times))
            case Apply():
                return self._applied(tree, scope, times)
            case Several(parts=parts):
                found = [self.walk(one, scope, times) for one in parts]
                return _Bound(sum(one.size for one in found) + 8, len(parts), listed=True)
            case Loop():
                return self._looped(tree, scope, times)

    def _part(self, whole: _Bound) -> _Bound:
        """A field or an item: whatever is inside."""
        return _Bound(whole.size, whole.count)

    def _applied(self, tree: Apply, scope: Mapping[str, _Bound], times: int) -> _Bound:
        function = tree.function
        given = [self.walk(one, scope, times) for one in tree.arguments]
        sizes = [one.size for one in given]
        if function in _CHEAP:
            if function == "_?_:_":
                return _Bound(max(sizes), max(one.count for one in given))
            return self._part(given[0]) if function in {"_[_]", "_[?_]", "_?._", "dyn"} else _FLAT
        if function in _COMPARED:
            self.cost = min(self.cost + times * self._compared(given), _NEVER)
            return _FLAT
        if function == "_+_":
            listed, count = any(one.listed for one in given), sum(one.count for one in given)
            # Lists take up items, not bytes.
            self.cost = min(self.cost + times * (_APPENDED * count if listed else sum(sizes)), _NEVER)
            return _Bound(sum(sizes), count, all(one.flat for one in given), listed)
        return self._called(function, tree, given, times)

    def _compared(self, given: list[_Bound]) -> int:
        """Two texts by their bytes, anything else by its values; the shorter decides."""
        shorter = min(one.size for one in given)
        return shorter if any(one.flat for one in given) else 10 * shorter

    def _called(self, function: str, tree: Apply, given: list[_Bound], times: int) -> _Bound:
        sizes = [one.size for one in given]
        whole = sum(sizes)
        cost = _CALL + 50 * whole
        if function in _SEARCHED and len(sizes) > 1:
            cost += sizes[0] * min(sizes[1:]) // 5
        elif function in _PAIRED:
            cost += given[0].count * given[-1].count * 30
        elif function == "matches" and len(given) > 1:
            cost = 20 * sizes[0] + _pattern(tree.arguments[1])
        elif function in {"find", "findAll"}:
            found = searchable(_text(tree.arguments[1]) or "")
            cost += _NEVER >> 30 if found is None else min(20 * sizes[0] ** found.power, _NEVER >> 30)
        elif function == "@in":
            cost = 10 * whole
        elif function == "size":
            cost = 0 if given[0].listed else 2 * sizes[0]
        elif function == "lists.range":
            whole = sizes[0] = self._number(tree.arguments[0], given[0])
            cost = 50 * whole
        self.cost = min(self.cost + times * cost, _NEVER)
        return _Bound(_grown(function, sizes), max([whole, *(one.count for one in given)]) + 1)

    def _number(self, tree: Tree, found: _Bound) -> int:
        """How many, where only a constant or a size can tell."""
        if isinstance(tree, Literal) and tree.number is not None:
            return min(max(tree.number, 0), _NEVER >> 20)
        is_size = isinstance(tree, Apply) and tree.function == "size"
        return max(self._of.count, self._of.text) if is_size else _NEVER >> 20

    def _looped(self, tree: Loop, scope: Mapping[str, _Bound], times: int) -> _Bound:
        over = self.walk(tree.over, scope, times)
        rounds = min(over.count, _ROUNDS)
        start = self.walk(tree.start, scope, times)
        inner = {**scope, **dict.fromkeys(tree.names, self._part(over)), tree.so_far: _FLAT}
        repeated = min(times * rounds, _NEVER >> 30)
        self.walk(tree.condition, inner, repeated)
        added = self.walk(tree.step, inner, repeated)
        if not start.flat:  # a list or map that grows is copied each time
            self.cost = min(self.cost + times * rounds * rounds * _APPENDED, _NEVER)
        made = _Bound(start.size + rounds * added.size, start.count + rounds, start.flat, not start.flat)
        return self.walk(tree.result, {**scope, tree.so_far: made}, times)


_FLAT: Final = _Bound(8, 0, flat=True)


def _grown(function: str, sizes: list[int]) -> int:
    """How long the result can be."""
    match function:
        case "replace":
            return min((sizes[0] + 1) * (sizes[-1] + 1), _NEVER) if len(sizes) > 2 else sizes[0]
        case "join":
            return min(sizes[0] * (sizes[-1] + 1), _NEVER) if len(sizes) > 1 else sizes[0]
        case "format":
            return 64 * sum(sizes) + 64
        case "lists.range":
            return 8 * sizes[0]
    return 2 * sum(sizes) + 64


def _text(tree: Tree) -> str | None:
    return tree.text if isinstance(tree, Literal) else None


def _pattern(tree: Tree) -> int:
    """It is read anew at each call."""
    known = _text(tree)
    return _NEVER >> 30 if known is None else _CALL + 1_000 * _steps(known)


@lru_cache(maxsize=1024)
def _steps(pattern: str) -> int:
    try:
        return _length(parse(pattern))
    except RegexError:
        return len(pattern)


def _length(node: Node) -> int:
    match node:
        case Repeat(inner, least, most):
            return max(least, most or 1, 1) * _length(inner) + 1
        case Sequence(parts) | Choice(parts):
            return sum(map(_length, parts)) + 1
    return 1

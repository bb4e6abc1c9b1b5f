"""Walks the statements of a template over its parameters and writes text, step by step as `text/template` does. `pipelines` answers what
stands in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argosy.domain.templates import budget, formatting
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import OverBudget
from argosy.domain.templates.nodes import (
    Action,
    Block,
    Branch,
    Call,
    Leave,
    Pipe,
    Plain,
    Range,
    Statement,
    Tree,
)
from argosy.domain.templates.pipelines import Missing, Pipelines
from argosy.domain.templates.quoting import quoted
from argosy.domain.templates.values import NOTHING, truth

_DEEPEST_CALL = 50


class _Leave(Exception):
    def __init__(self, word: str) -> None:
        self.word = word


class Evaluator(Pipelines):
    def __init__(self, tree: Tree, functions: Mapping[str, Implementation], missing: Missing) -> None:
        super().__init__(tree, functions, missing)
        self._calls = 0
        self._written: list[str] = []
        self._length = 0

    def run(self, data: object) -> str:
        self._variables = [("$", data)]
        try:
            self._block(data, self._tree.body)
        except OverBudget as error:
            raise self._failure(str(error), cure="make it shorter, or loop less") from error
        except RecursionError as error:
            raise self._failure("it is nested too deeply", cure="flatten it") from error
        return "".join(self._written)

    def _block(self, dot: object, block: Block) -> None:
        for statement in block:
            self._statement(dot, statement)

    def _statement(self, dot: object, statement: Statement) -> None:
        budget.spend()
        self._look_at(statement)
        match statement:
            case Plain():
                self._write(statement.text)
            case Action(pipe=pipe):
                value = self._pipe(dot, pipe)
                if not pipe.declares:
                    self._look_at(statement)
                    self._write(formatting.printed(value))
            case Branch():
                self._branch(dot, statement)
            case Range():
                self._range(dot, statement)
            case Call():
                self._call(dot, statement)
            case Leave(word=word):
                raise _Leave(word)

    def _write(self, text: str) -> None:
        self._length += len(text)
        budget.text_of(self._length)
        self._written.append(text)

    def _branch(self, dot: object, branch: Branch) -> None:
        known = len(self._variables)
        value = self._pipe(dot, branch.pipe)
        if truth(value):
            loose, self._loose = self._loose, self._loose and branch.word != "with"
            self._block(value if branch.word == "with" else dot, branch.then)
            self._loose = loose
        elif branch.otherwise is not None:
            self._block(dot, branch.otherwise)
        del self._variables[known:]

    def _range(self, dot: object, loop: Range) -> None:
        known, loose = len(self._variables), self._loose
        try:
            value = self._pipe(dot, loop.pipe)
            mark = len(self._variables)
            items = self._items(value, loop)
            for key, element in items:
                self._loose = type(value) in {dict, list}
                self._assign_item(loop.pipe, key, element)
                try:
                    self._block(element, loop.body)
                except _Leave as leave:
                    if leave.word == "break":
                        break
                del self._variables[mark:]
            self._loose = loose
            if not items and loop.otherwise is not None:
                self._block(dot, loop.otherwise)
        finally:
            self._loose = loose
            del self._variables[known:]

    def _items(self, value: object, loop: Range) -> Sequence[tuple[object, object]]:
        match value:
            case None:
                return ()
            case bool() | float() | str():
                pass
            case int():
                if len(loop.pipe.declares) > 1:
                    raise self._failure(f"can't use {value} to iterate over more than one variable")
                budget.items_of(value)
                return [(NOTHING, type(value)(one)) for one in range(value)]
            case list():
                return list(enumerate(value))
            case dict():
                return [(key, value[key]) for key in sorted(value)]
        if value is NOTHING:
            return ()
        raise self._failure(
            f"range can't iterate over {formatting.text(value)}",
            cure="give it a list or a map; `splitList` makes a list of a text, `until` of a number",
        )

    def _assign_item(self, pipe: Pipe, key: object, element: object) -> None:
        budget.spend()
        names = [one.names[0] for one in pipe.declares]
        if not names:
            return
        if pipe.assigns:
            for name, value in zip(names, (key, element) if len(names) > 1 else (element,), strict=True):
                self._set(name, value)
            return
        self._variables[-1] = (names[-1], element)
        if len(names) > 1:
            self._variables[-2] = (names[0], key)

    def _call(self, dot: object, call: Call) -> None:
        body = self._tree.body if call.name == self._tree.name else self._tree.defined.get(call.name)
        if body is None:
            raise self._failure(f"template {quoted(call.name)} not defined")
        if self._calls >= _DEEPEST_CALL:
            raise self._failure(
                f"exceeded maximum template depth ({_DEEPEST_CALL})", cure="end the recursion with an if"
            )
        inner = NOTHING if call.pipe is None else self._pipe(dot, call.pipe)
        outside = self._variables, self._name, self._loose
        self._variables, self._name, self._loose = [("$", inner)], call.name, False
        self._calls += 1
        self._block(inner, body)
        self._calls -= 1
        self._variables, self._name, self._loose = outside

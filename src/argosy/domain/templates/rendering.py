"""Renders a template: reads it once, walks it with a budget, and gives it `tpl`, which renders a text that a parameter holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from argosy.domain.templates import budget, builtins, sprig
from argosy.domain.templates.budget import Budget
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError, TemplateError
from argosy.domain.templates.evaluator import Evaluator
from argosy.domain.templates.nodes import Block, Tree
from argosy.domain.templates.parser import parse
from argosy.domain.templates.pipelines import Missing
from argosy.domain.templates.quoting import quoted
from argosy.domain.templates.values import valid

_DEEPEST_TPL = 3
_LONGEST_SOURCE = 1024 * 1024
_KNOWN = frozenset(["and", "or", "tpl", *builtins.FUNCTIONS, *sprig.FUNCTIONS])


def render(
    template: str,
    params: Mapping[str, object],
    *,
    missing: Missing = "default",
    name: str = "",
    budgeted: Budget | None = None,
) -> str:
    """Raises `TemplateError`. `params` are Go's values (`values`); `budgeted`: not a budget of its own."""
    if "{{" not in template:
        return template
    with budget.opened(budgeted or Budget()):
        return valid(_Rendering(_read(template, name), missing).text(params))


@lru_cache(maxsize=2048)
def _read(template: str, name: str) -> Tree:
    if len(template) > _LONGEST_SOURCE:
        cause = f"it is longer than {_LONGEST_SOURCE} characters"
        raise TemplateError(f"template: {name}: {cause}", name=name, line=1, cause=cause)
    try:
        return parse(template, name=name, functions=_KNOWN)
    except RecursionError as error:
        cause = "it is nested too deeply"
        raise TemplateError(f"template: {name}: {cause}", name=name, line=1, cause=cause) from error


@dataclass(slots=True)
class _Rendering:
    tree: Tree
    missing: Missing
    depth: int = 0
    defined: dict[str, Block] = field(default_factory=dict)

    def text(self, params: object) -> str:
        functions: Mapping[str, Implementation] = {
            **builtins.FUNCTIONS,
            **sprig.FUNCTIONS,
            "tpl": self.tpl,
        }
        return Evaluator(self._with_defined(), functions, self.missing).run(params)

    def _with_defined(self) -> Tree:
        if not self.defined:
            return self.tree
        return Tree(self.tree.name, self.tree.source, self.tree.body, {**self.defined, **self.tree.defined})

    def tpl(self, text: str, params: object) -> str:
        if self.depth >= _DEEPEST_TPL:
            raise FunctionError(f"maximum recursion depth {_DEEPEST_TPL} exceeded in tpl function")
        try:
            tree = _read(text, self.tree.name)
        except TemplateError as error:
            raise FunctionError(f"cannot parse template {quoted(text)}: {error.told}") from error
        inner = _Rendering(tree, self.missing, self.depth + 1, {**self.defined, **self.tree.defined})
        try:
            return inner.text(params).replace("<no value>", "")
        except TemplateError as error:
            raise FunctionError(
                f"error during tpl function execution for {quoted(text)}: {error.told}"
            ) from error

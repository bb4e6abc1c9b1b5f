"""Fills the tags in texts, in maps and lists of them, and in the names of a map: with Go templates or with the older `{{name}}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.domain.templates import Budget, Missing, TemplateError, render, substitute

Params: TypeAlias = dict[str, object]
_MISSING: dict[str, Missing] = {"default": "default", "invalid": "default", "zero": "zero", "error": "error"}
_NAME = "base"
_STEPS = 5_000_000
"""For all templates of one generation together: some thousand applications take a tenth of it."""


class Tags:
    def __init__(self, *, go: bool, options: Sequence[str] = (), budget: Budget | None = None) -> None:
        self.go = go
        self._missing: Missing = "default"
        self._budget = budget or Budget(_STEPS)
        for option in options if go else ():
            key, _, value = option.partition("=")
            if key != "missingkey" or value not in _MISSING:
                raise GenerationFailed(
                    f"unrecognized option: {option}; goTemplateOptions knows missingkey=default, zero and error",
                    "RenderTemplateParamsError",
                )
            self._missing = _MISSING[value]

    def strict(self) -> Tags:
        """The same, but a missing key is an error."""
        return Tags(go=self.go, options=["missingkey=error"], budget=self._budget)

    def filled(self, text: str, params: Params) -> str:
        if "{{" not in text:
            return text
        try:
            if not self.go:
                return substitute(text, params)
            return render(
                text, params, missing=self._missing, name=_NAME, budgeted=Budget(shared=self._budget)
            )
        except TemplateError as error:
            if not self.go:
                told = str(error)
            else:
                told = f"failed to {'parse' if error.column < 0 else 'execute go'} template {text}: {error}"
            raise GenerationFailed(told, "RenderTemplateParamsError") from error

    def filled_all(self, value: object, params: Params) -> object:
        """What is null in a map is left out, as upstream does."""
        if isinstance(value, str):
            return self.filled(value, params)
        if isinstance(value, dict):
            return {
                self.filled(key, params): self.filled_all(inner, params)
                for key, inner in value.items()
                if inner is not None
            }
        if isinstance(value, list):
            return [self.filled_all(inner, params) for inner in value]
        return value

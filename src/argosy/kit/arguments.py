"""Command lines for people: a wrong one is told in two lines instead of a page of usage, and the words that can
follow a half-typed one are known to the shell. `argosy.cli` and `argosy.host` build their parsers of it.

It imports nothing but argparse, because `argosy --help` pays for every import.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

WRONG_USAGE = 2
_CHOICE = re.compile(
    r"(?:argument (?P<name>.+?): )?invalid choice: (?P<value>.+?) \(choose from (?P<choices>.*)\)", re.DOTALL
)
_MISSING = re.compile(r"the following arguments are required: (?P<names>.*)", re.DOTALL)
_NUMBER = re.compile(r"argument (?P<name>.+?): invalid int value: (?P<value>.*)", re.DOTALL)
_NO_VALUE = re.compile(r"argument (?P<name>.+?): expected (?:one|at least one) argument")


class Parser(argparse.ArgumentParser):
    """No abbreviations: a script that says `--pass` must not change its meaning when an option is added."""

    def parse_known_args(  # type: ignore[override]  # argparse offers the same one method in three overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Here, and not at the top, since only the innermost parser knows the options that were meant."""
        self.allow_abbrev = False
        found, extra = super().parse_known_args(args, namespace)
        if extra:
            self._unknown(extra[0])
        return found, extra

    def error(self, message: str) -> NoReturn:
        told = _in_words(" ".join(message.split()))
        inner = ", ".join(self.below)
        self._end(
            told, f"{self.prog} with one of: {inner}" if inner else f"{self.prog} --help shows what it takes"
        )

    def _unknown(self, word: str) -> NoReturn:
        from difflib import get_close_matches  # only a mistake pays for it

        if not word.startswith("-"):
            self._end(f"one word too many: {word!r}", f"{self.prog} --help shows what it takes")
        known = [option for action in self._actions for option in action.option_strings]
        near = get_close_matches(word.partition("=")[0], known, n=1)
        cure = f"did you mean {near[0]}?" if near else f"{self.prog} --help lists the options"
        self._end(f"there is no option {word!r}", cure)

    def _end(self, what: str, cure: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"error: {what}\ndo: {cure}\n")

    @property
    def known(self) -> list[argparse.Action]:
        """Options and positional words, in the order in which they were added."""
        return self._actions

    @property
    def below(self) -> dict[str, Parser]:
        """The parsers of the words that pick one, such as `verify` behind `argosy audit`."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse names it no other way
                return dict(action.choices)
        return {}

    def following(self, words: Sequence[str]) -> list[str]:
        """What can follow `words`, which are the complete ones behind this parser's own name."""
        typed = [word for word in words if word != "="]  # bash cuts `--output=json` into three
        if typed and (inner := self.below.get(typed[0])) is not None:
            return inner.following(typed[1:])
        for action in self._actions:
            if typed and typed[-1] in action.option_strings and action.nargs != 0:
                return _choices(action)
        found: list[str] = []
        for action in self._actions:
            found += [option for option in action.option_strings if option.startswith("--")]
            if not action.option_strings:
                found += _choices(action)
        return found


def _in_words(message: str) -> str:
    """argparse's own words differ between versions of Python, and are not meant for newcomers."""
    if found := _CHOICE.fullmatch(message):
        choices = found["choices"].replace("'", "")
        return f"{found['name'] or 'the word'}: {found['value']} is not one of: {choices}"
    if found := _MISSING.fullmatch(message):
        names = found["names"].split(", ")
        return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} missing"
    if found := _NUMBER.fullmatch(message):
        return f"{found['name']}: {found['value']} is not a whole number"
    if found := _NO_VALUE.fullmatch(message):
        return f"{found['name']} needs a value"
    return message.removeprefix("argument ")


def _choices(action: argparse.Action) -> list[str]:
    return [str(choice) for choice in action.choices or ()]

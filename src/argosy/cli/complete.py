"""The words that can follow what is typed: verbs, nouns, options and their choices. Asks no server, so it is instant."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence

from argosy.cli import main, nouns


def candidates(words: Sequence[str]) -> list[str]:
    """`words` are those before the one being typed."""
    if not words:
        return sorted([*main.HOST_VERBS, *main.RESOURCE_VERBS, *main.VERBS])
    parser = _parser(list(words))
    if parser is None:
        return list(nouns.NAMES) if words[0] in main.RESOURCE_VERBS and len(words) == 1 else []
    for word in words[1:]:
        parser = _below(parser, word) or parser
    return _follow(parser, words[-1])


def _parser(words: list[str]) -> argparse.ArgumentParser | None:
    verb = words[0]
    if verb in main.RESOURCE_VERBS and len(words) > 1 and nouns.spelled(words[1]):
        return main.resource_parser(verb, words[1:])[0]
    if verb in main.VERBS:
        parser = main.new_parser(verb, "")
        importlib.import_module(f"argosy.cli.verbs.{verb}").add(parser)
        return parser
    return None


def _below(parser: argparse.ArgumentParser, word: str) -> argparse.ArgumentParser | None:
    for action in _actions(parser):
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - argparse names it no other way
            return action.choices.get(word)
    return None


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return parser._actions  # noqa: SLF001 - argparse offers no public way to what a parser knows


def _follow(parser: argparse.ArgumentParser, last: str) -> list[str]:
    for action in _actions(parser):
        if last in action.option_strings and action.nargs != 0:
            return [str(choice) for choice in action.choices or ()]
    words: list[str] = []
    for action in _actions(parser):
        words += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices:
            words += [str(choice) for choice in action.choices]
    return words

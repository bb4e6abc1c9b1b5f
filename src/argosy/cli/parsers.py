"""The options of every verb, built only for the one that is used. `main` parses with them, `complete` looks into
them, `tools/cli_reference.py` writes them down.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Protocol, cast

from argosy.cli import nouns
from argosy.cli.catalogue import NOUNS, RESOURCE_VERBS, VERBS
from argosy.cli.failures import USAGE, Failure
from argosy.cli.output import FORMS
from argosy.cli.resources import Noun
from argosy.kit.arguments import Parser


class Verb(Protocol):
    """What a module in `verbs` offers."""

    @property
    def EXAMPLES(self) -> Sequence[str]:  # noqa: N802
        """Command lines without `argosy` in front."""

    def add(self, parser: Parser) -> None: ...

    def run(self, asked: argparse.Namespace) -> None: ...


def verb_named(name: str) -> Verb:
    return cast(Verb, importlib.import_module(f"argosy.cli.verbs.{name}"))


def verb_parser(name: str) -> Parser:
    verb = verb_named(name)
    parser = new_parser(name, VERBS[name], verb.EXAMPLES)
    verb.add(parser)
    return parser


def noun_named(verb: str, words: Sequence[str]) -> Noun:
    """The thing after `get`, `create` or `delete`."""
    possible = able(verb)
    things = f"things: {', '.join(possible)}"
    if not words or words[0].startswith("-"):
        raise Failure(f"{verb} what?", cure=things, status=USAGE)
    name = nouns.spelled(words[0])
    if name in possible:
        return nouns.load(name)
    if name:
        raise Failure(f"argosy cannot {verb} {name}", cure=things, status=USAGE)
    from difflib import get_close_matches

    near = get_close_matches(words[0], possible, n=1)
    raise Failure(
        f"there is no thing {words[0]!r}", cure=f"did you mean {near[0]}?" if near else things, status=USAGE
    )


def able(verb: str) -> list[str]:
    """The things that this verb works on."""
    return [name for name in NOUNS if _can(verb, nouns.load(name))]


def _can(verb: str, noun: Noun) -> bool:
    return {"get": True, "create": noun.create is not None, "delete": bool(noun.deletes)}[verb]


def resource_help(verb: str) -> str:
    listed = able(verb)
    return (
        f"usage: argosy {verb} THING …\n\n{RESOURCE_VERBS[verb]}\n\nthings: {', '.join(listed)}\n\n"
        f"`argosy {verb} {listed[0]} --help` tells more.\n"
    )


def resource_parser(verb: str, noun: Noun) -> Parser:
    one = noun.title
    examples = {
        "get": (f"get {noun.plural}", *noun.found, f"get {noun.plural} --all -o json"),
        "create": noun.made,
        "delete": (f"delete {one} NAME", f"delete {one} NAME --yes"),
    }[verb]
    parser = new_parser(f"{verb} {noun.plural if verb == 'get' else one}", RESOURCE_VERBS[verb], examples)
    if verb == "create" and noun.options is not None:
        noun.options(parser)
    elif verb == "delete":
        parser.add_argument("name", metavar="NAME|ID")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
        if noun.narrows is not None:
            noun.narrows(parser)
    else:
        _list_options(parser, noun)
    output_options(parser)
    return parser


def _list_options(parser: Parser, noun: Noun) -> None:
    parser.add_argument("name", metavar="NAME|ID" if noun.finds else "ID", nargs="?", default="")
    parser.add_argument("--search", default="", metavar="TEXT", help="only what matches")
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (50)")
    parser.add_argument("--all", action="store_true", help="everything, page by page")
    if noun.finds:
        parser.add_argument(
            "--sort", default="", metavar="FIELD", help="such as name; turned round: --sort=-name"
        )
    for add in (noun.narrows, noun.filters):
        if add is not None:
            add(parser)


def output_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=FORMS, default="table", help="form of the answer")
    context_option(parser)


def context_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--context", default="", metavar="NAME", help="instead of the current one")


def new_parser(name: str, words: str, examples: Sequence[str]) -> Parser:
    shown = "".join(f"  argosy {line}\n" for line in examples)
    return Parser(
        prog=f"argosy {name}",
        description=words[0].upper() + words[1:] + ".",
        epilog=f"examples:\n{shown}\nexit codes: argosy help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

"""`argosy config`: the platforms this person knows, and which one is meant."""

from __future__ import annotations

import argparse

from argosy.cli import contexts
from argosy.cli.output import FORMS, say, show
from argosy.kit.arguments import Parser

EXAMPLES = ("config get-contexts", "config use-context 127.0.0.1:8080")


def add(parser: Parser) -> None:
    actions = parser.add_subparsers(dest="task", required=True, metavar="ACTION")
    listing = actions.add_parser("get-contexts", help="list them", description="List the contexts.")
    listing.add_argument("-o", "--output", choices=FORMS, default="table", help="form of the answer")
    for action, words in (
        ("use-context", "make one the current one"),
        ("delete-context", "forget one, but leave its key alive"),
    ):
        one = actions.add_parser(action, help=words, description=words[0].upper() + words[1:] + ".")
        one.add_argument("name", metavar="NAME")


def run(asked: argparse.Namespace) -> None:
    if asked.task == "get-contexts":
        kept = contexts.load()
        rows = [
            {"current": name == kept.current, "name": name, "url": one.url}
            for name, one in sorted(kept.known.items())
        ]
        show(rows, asked.output, (("CURRENT", "current"), ("NAME", "name"), ("URL", "url")))
        return
    with contexts.changing() as kept:
        if asked.name not in kept.known:
            raise contexts.absent(asked.name)
        if asked.task == "use-context":
            kept.current = asked.name
        else:
            contexts.forget(kept, asked.name)
    if asked.task == "use-context":
        say(f"now {asked.name}")
    else:
        say(f"{asked.name} is forgotten; its key still works (argosy delete api-key ends it)")

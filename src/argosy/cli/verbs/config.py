"""`argosy config`: the platforms this person knows, and which one is meant."""

from __future__ import annotations

import argparse

from argosy.cli import contexts
from argosy.cli.failures import NOT_FOUND, Failure
from argosy.cli.output import say, show


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = actions.add_parser("get-contexts", help="list them")
    listing.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    for action, words in (
        ("use-context", "make one the current one"),
        ("delete-context", "forget one and its key"),
    ):
        actions.add_parser(action, help=words).add_argument("name", metavar="NAME")


def run(asked: argparse.Namespace) -> None:
    kept = contexts.load()
    if asked.action == "get-contexts":
        rows = [
            {"current": name == kept.current, "name": name, "url": one.url}
            for name, one in sorted(kept.known.items())
        ]
        show(rows, asked.output, (("CURRENT", "current"), ("NAME", "name"), ("URL", "url")))
        return
    if asked.name not in kept.known:
        raise Failure(
            f"there is no context {asked.name!r}", cure="argosy config get-contexts", status=NOT_FOUND
        )
    if asked.action == "use-context":
        kept.current = asked.name
        say(f"now {asked.name}")
    else:
        del kept.known[asked.name]
        kept.current = "" if kept.current == asked.name else kept.current
        say(f"{asked.name} is forgotten; its key still exists (argosy delete api-key)")
    contexts.save(kept)

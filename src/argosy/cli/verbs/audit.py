"""`argosy audit`: verify the chain, export entries. Listing them is `argosy get audit`."""

from __future__ import annotations

import argparse
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from pathlib import Path

from argosy.cli import contexts
from argosy.cli.api import Api, Json
from argosy.cli.failures import Failure
from argosy.cli.nouns.audit import filters, query
from argosy.cli.output import say, show
from argosy.cli.parsers import context_option, output_options
from argosy.cli.terminal import visible
from argosy.kit.arguments import Parser

EXAMPLES = ("audit verify", "audit export --format csv --since 2026-01-01T00:00:00Z --file january.csv")
VERIFY_SECONDS = 620.0  # the platform gives itself 600
_CHAINS = (("CHAIN", "kind"), ("FIRST", "first"), ("ENTRIES", "entries"), ("ANCHORED", "anchored"),
           ("HEAD", "head"), ("PROBLEM", "problem"))  # fmt: skip


def add(parser: Parser) -> None:
    actions = parser.add_subparsers(dest="task", required=True, metavar="ACTION")
    words = "recompute the chains and compare them with their signed heads"
    verify = actions.add_parser("verify", help=words, description=words[0].upper() + words[1:] + ".")
    verify.add_argument("--installation", action="store_true", help="the log of what belongs to no account")
    output_options(verify)
    words = "write all matching entries, oldest first"
    export = actions.add_parser("export", help=words, description=words[0].upper() + words[1:] + ".")
    export.add_argument("--format", choices=("csv", "jsonl"), default="jsonl", help="form of the lines")
    export.add_argument("--search", default="", metavar="TEXT", help="only what matches")
    export.add_argument("--file", metavar="FILE", help="instead of stdout")
    filters(export)
    context_option(export)


def run(asked: argparse.Namespace) -> None:
    api = Api(contexts.active(asked.context))
    if asked.task == "verify":
        _verify(api, asked)
    else:
        _export(api, asked)


def _verify(api: Api, asked: argparse.Namespace) -> None:
    found = api.get("/api/audit/verify", seconds=VERIFY_SECONDS, installation=asked.installation or None)
    show(found if asked.output != "table" else found["chains"], asked.output, _CHAINS)
    if not found["whole"]:
        raise Failure(
            f"the audit log is not whole: {found['problem']}",
            where=_place(found),
            cure="compare with an export or a backup, and find out who can write to the database",
        )
    if asked.output == "table":
        say(f"whole: {found['entries']} entries verified")


def _place(found: Json) -> str:
    return f"entry {found.get('entry', 0)} of the {found.get('chain', '')} chain".replace("  ", " ")


def _export(api: Api, asked: argparse.Namespace) -> None:
    wanted = {**query(api, asked), "format": asked.format, "search": asked.search}
    chunks = api.download("/api/audit/export", **wanted)
    if not asked.file:
        _to_stdout(chunks)
        return
    target = Path(asked.file)
    draft = target.with_name(target.name + ".part")
    size = 0
    with draft.open("wb") as file:
        for chunk in chunks:
            size += file.write(chunk)
    draft.replace(target)
    say(f"{asked.file}: {size} bytes")


def _to_stdout(chunks: Iterator[bytes]) -> None:
    if not sys.stdout.isatty():
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        return
    decoder = getincrementaldecoder("utf-8")(errors="replace")
    for chunk in chunks:
        sys.stdout.write(visible(decoder.decode(chunk)))

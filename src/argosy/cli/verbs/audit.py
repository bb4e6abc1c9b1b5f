"""`argosy audit`: verify the chain, export entries, follow what happens."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.failures import Failure
from argosy.cli.nouns.audit import filters, query
from argosy.cli.output import say, show


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    verify = actions.add_parser("verify", help="recompute the chain and compare it with the signed heads")
    export = actions.add_parser("export", help="all matching entries, oldest first")
    export.add_argument("--format", choices=("csv", "jsonl"), default="jsonl")
    export.add_argument("--search", default="")
    export.add_argument("--file", metavar="FILE", help="instead of stdout")
    filters(export)
    for one in (verify, export):
        one.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
        one.add_argument("--context", default="", metavar="NAME")


def run(asked: argparse.Namespace) -> None:
    api = Api(contexts.active(asked.context))
    if asked.action == "verify":
        _verify(api, asked)
    else:
        _export(api, asked)


def _verify(api: Api, asked: argparse.Namespace) -> None:
    found = api.get("/api/audit/verify")
    columns = (("WHOLE", "whole"), ("ENTRIES", "entries"), ("ANCHORED", "anchored"), ("HEAD", "head"))
    show(found, asked.output, columns)
    if not found["whole"]:
        raise Failure(
            f"entry {found['entry']}: {found['problem']}", cure="compare with an export or a backup"
        )


def _export(api: Api, asked: argparse.Namespace) -> None:
    asked_for = {**query(asked), "format": asked.format, "search": asked.search}
    chunks = api.download("/api/audit/export", **asked_for)
    if not asked.file:
        for chunk in chunks:
            sys.stdout.buffer.write(chunk)
        sys.stdout.flush()
        return
    size = 0
    with Path(asked.file).open("wb") as file:
        for chunk in chunks:
            size += file.write(chunk)
    say(f"{asked.file}: {size} bytes")

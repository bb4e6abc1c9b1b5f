"""`argosy whoami`: as whom, in which account, with which rights."""

from __future__ import annotations

import argparse

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.output import show


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    parser.add_argument("--context", default="", metavar="NAME")


def run(asked: argparse.Namespace) -> None:
    context = contexts.active(asked.context)
    me = Api(context).get("/api/me")
    me["url"] = context.url
    columns = (("EMAIL", "email"), ("NAME", "name"), ("ACCOUNT", "account.name"), ("ROLE", "account.role"),
               ("TEAMS", "teams.name"), ("SCOPES", "scopes"), ("URL", "url"))  # fmt: skip
    show(me, asked.output, columns)

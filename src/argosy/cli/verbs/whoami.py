"""`argosy whoami`: as whom, in which account, with which rights."""

from __future__ import annotations

import argparse

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.output import show
from argosy.cli.parsers import output_options
from argosy.kit.arguments import Parser

EXAMPLES = ("whoami", "whoami -o json")
_COLUMNS = (("EMAIL", "email"), ("NAME", "name"), ("ACCOUNT", "account.name"), ("ROLE", "account.role"),
            ("TEAMS", "teams.name"), ("SCOPES", "scopes"), ("URL", "url"))  # fmt: skip


def add(parser: Parser) -> None:
    output_options(parser)


def run(asked: argparse.Namespace) -> None:
    context = contexts.active(asked.context)
    me = Api(context).get("/api/me")
    show({**me, "url": context.url}, asked.output, _COLUMNS)

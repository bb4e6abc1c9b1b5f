"""`argosy access why`: may somebody do something, and which rule says so."""

from __future__ import annotations

import argparse
import sys

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.failures import USAGE, Failure
from argosy.cli.output import screen, show, table
from argosy.cli.parsers import output_options
from argosy.cli.terminal import plain
from argosy.kit.arguments import Parser

EXAMPLES = (
    "access why --user member@example.com --action SYNC --resource applications/shop --attribute NAMESPACE=shop-prod",
    "access why --user member@example.com --action run --resource pipeline/build --tag backend",
)


def add(parser: Parser) -> None:
    actions = parser.add_subparsers(dest="action_word", required=True, metavar="ACTION")
    why = actions.add_parser("why", help="explain a decision", description="Explain a decision.")
    why.add_argument("--user", required=True, metavar="USER", help="e-mail or id")
    why.add_argument("--action", required=True, metavar="ACTION", help="SYNC, VIEW, run, …")
    why.add_argument("--resource", required=True, metavar="ENTITY[/NAME]", help="such as applications/shop")
    why.add_argument(
        "--attribute", action="append", default=[], metavar="NAME=VALUE[,VALUE]",
        help="such as NAMESPACE=prod; may be repeated",
    )  # fmt: skip
    why.add_argument("--label", action="append", default=[], metavar="KEY=VALUE", help="may be repeated")
    why.add_argument("--tag", action="append", default=[], metavar="TAG", help="may be repeated")
    output_options(why)


def run(asked: argparse.Namespace) -> None:
    entity, _, name = asked.resource.partition("/")
    body = {
        "user": asked.user,
        "action": asked.action,
        "entity": entity,
        "resource": name,
        "attributes": {key: value.split(",") for key, value in map(pair, asked.attribute)},
        "labels": dict(map(pair, asked.label)),
        "tags": asked.tag,
    }
    answer = Api(contexts.active(asked.context)).post("/api/access/why", body)
    if asked.output != "table":
        show(answer, asked.output, ())
        return
    sys.stdout.write(f"{'yes' if answer['allowed'] else 'no'}: {plain(answer['sentence'])}\n")
    if answer["rules"]:
        rows = [
            [plain(rule["rule"]["name"]), "yes" if rule["applies"] else "no", plain(rule["reason"])]
            for rule in answer["rules"]
        ]
        sys.stdout.write("\n" + table(("RULE", "APPLIES", "WHY"), rows, most=screen()))


def pair(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise Failure(f"{text!r} is not NAME=VALUE", cure="for example NAMESPACE=prod", status=USAGE)
    return key, value

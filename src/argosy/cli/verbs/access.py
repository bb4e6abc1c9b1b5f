"""`argosy access why`: may somebody do something, and which rule says so."""

from __future__ import annotations

import argparse
import sys

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.failures import USAGE, Failure
from argosy.cli.output import show, table


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action_word", required=True, metavar="ACTION")
    why = actions.add_parser("why", help="explain a decision", description=__doc__)
    why.add_argument("--user", required=True, metavar="USER", help="e-mail or id")
    why.add_argument("--action", required=True, help="SYNC, VIEW, run, …")
    why.add_argument("--resource", required=True, metavar="ENTITY[/NAME]", help="applications/shop")
    why.add_argument(
        "--attribute", action="append", default=[], metavar="NAME=VALUE[,VALUE]", help="NAMESPACE=prod"
    )
    why.add_argument("--label", action="append", default=[], metavar="KEY=VALUE")
    why.add_argument("--tag", action="append", default=[])
    why.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    why.add_argument("--context", default="", metavar="NAME")


def run(asked: argparse.Namespace) -> None:
    entity, _, name = asked.resource.partition("/")
    body = {
        "user": asked.user,
        "action": asked.action,
        "entity": entity,
        "resource": name,
        "attributes": {key: value.split(",") for key, value in map(_pair, asked.attribute)},
        "labels": dict(map(_pair, asked.label)),
        "tags": asked.tag,
    }
    answer = Api(contexts.active(asked.context)).post("/api/access/why", body)
    if asked.output != "table":
        show(answer, asked.output, ())
        return
    sys.stdout.write(f"{'yes' if answer['allowed'] else 'no'}: {answer['sentence']}\n")
    if answer["rules"]:
        rows = [
            [rule["rule"]["name"], "yes" if rule["applies"] else "no", rule["reason"]]
            for rule in answer["rules"]
        ]
        sys.stdout.write("\n" + table(("RULE", "APPLIES", "WHY"), rows))


def _pair(text: str) -> tuple[str, str]:
    key, found, value = text.partition("=")
    if not found or not key:
        raise Failure(f"{text!r} is not NAME=VALUE", status=USAGE)
    return key, value

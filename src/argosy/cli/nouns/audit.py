"""The audit log, newest first."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api, Query
from argosy.cli.resources import Noun

_FILTERS = ("kind", "result", "resource", "resource_id", "actor", "operation", "since", "until")


def filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=("change", "read"), default="", help="only these")
    parser.add_argument("--result", choices=("ok", "denied", "failed"), default="", help="only these")
    parser.add_argument("--resource", default="", metavar="KIND", help="user, team, access-rule, …")
    parser.add_argument("--resource-id", default="", metavar="ID", help="one thing's history")
    parser.add_argument("--actor", default="", metavar="ID", help="who did it")
    parser.add_argument("--operation", default="", metavar="NAME", help="create_team, sign_in, …")
    parser.add_argument("--since", default="", metavar="TIME", help="2026-01-31T12:00:00Z")
    parser.add_argument("--until", default="", metavar="TIME", help="before this")
    parser.add_argument(
        "--installation",
        action="store_true",
        help="what belongs to no account (administrators of the installation)",
    )


def query(_: Api, asked: argparse.Namespace) -> Query:
    told: Query = {name: getattr(asked, name) for name in _FILTERS}
    return {**told, "installation": asked.installation or None}


NOUN = Noun(
    title="audit entry",
    plural="audit",
    found=("get audit --kind change --since 2026-01-31T00:00:00Z", "get audit --resource team --search developers"),
    path="/api/audit",
    columns=(("TIME", "time"), ("ACTOR", "actor.name"), ("FROM", "remote"), ("OPERATION", "operation"),
             ("RESOURCE", "resource"), ("NAME", "resource_name"), ("RESULT", "result"), ("ID", "id")),
    filters=filters,
    query=query,
    finds=False,
)  # fmt: skip

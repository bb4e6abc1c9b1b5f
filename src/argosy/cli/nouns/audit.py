"""The audit log, newest first."""

from __future__ import annotations

import argparse

from argosy.cli.resources import Noun


def filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kind", choices=("change", "read"), default="")
    parser.add_argument("--result", choices=("ok", "denied", "failed"), default="")
    parser.add_argument("--resource", default="", help="user, team, access-rule, …")
    parser.add_argument("--actor", default="", metavar="ID")
    parser.add_argument("--since", default="", metavar="TIME", help="2026-01-31T12:00:00Z")
    parser.add_argument("--until", default="", metavar="TIME")


def query(asked: argparse.Namespace) -> dict[str, str | int | bool | None]:
    return {name: getattr(asked, name) for name in ("kind", "result", "resource", "actor", "since", "until")}


NOUN = Noun(
    title="audit entry",
    path="/api/audit",
    columns=(("TIME", "time"), ("ACTOR", "actor.name"), ("FROM", "remote"), ("OPERATION", "operation"),
             ("RESOURCE", "resource"), ("NAME", "resource_name"), ("RESULT", "result"), ("ID", "id")),
    filters=filters,
    query=query,
    finds=False,
)  # fmt: skip

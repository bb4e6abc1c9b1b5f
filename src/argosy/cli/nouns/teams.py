"""Teams of the active account."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun, user_ids


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--description", default="")
    parser.add_argument("--member", action="append", metavar="EMAIL", help="e-mail or id; may be repeated")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    body = {"name": asked.name, "description": asked.description, "members": user_ids(api, asked.member)}
    team = api.post("/api/teams", body)
    return Created(team, team)


NOUN = Noun(
    title="team",
    plural="teams",
    found=("get team developers",),
    path="/api/teams",
    columns=(("NAME", "name"), ("MEMBERS", "members"), ("DESCRIPTION", "description"), ("ID", "id")),
    options=_options,
    create=_create,
    made=("create team developers", "create team developers --member member@example.com -o json"),
    deletes="access rules that name only this team go with it",
)

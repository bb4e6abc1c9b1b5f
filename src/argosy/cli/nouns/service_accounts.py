"""Service accounts: keys for machines, independent of any person."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun, ids_of


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--role", choices=("admin", "user"), default="user")
    parser.add_argument("--team", action="append", metavar="TEAM", help="name or id; may be repeated")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    teams = ids_of(api, "/api/teams", asked.team, "team")
    account = api.post("/api/service-accounts", {"name": asked.name, "role": asked.role, "teams": teams})
    return Created(account, account)


NOUN = Noun(
    title="service-account",
    plural="service-accounts",
    found=("get service-account deployer",),
    path="/api/service-accounts",
    columns=(("NAME", "name"), ("ROLE", "role"), ("TEAMS", "teams.name"), ("KEYS", "keys"), ("ID", "id")),
    options=_options,
    create=_create,
    made=("create service-account deployer --team developers",),
    deletes="all its API keys end at once",
)

"""Users of the active account."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun, ids_of


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--role", choices=("admin", "user"), help="only this role")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="EMAIL")
    parser.add_argument("--full-name", default="", help="as shown to others")
    parser.add_argument("--role", choices=("admin", "user"), default="user")
    parser.add_argument("--team", action="append", metavar="TEAM", help="name or id; may be repeated")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    teams = ids_of(api, "/api/teams", asked.team, "team")
    answer = api.post(
        "/api/users", {"email": asked.name, "name": asked.full_name, "role": asked.role, "teams": teams}
    )
    secret = ("one-time password", answer["one_time_password"]) if answer["one_time_password"] else None
    return Created(answer, answer["user"], secret)


NOUN = Noun(
    title="user",
    plural="users",
    found=("get user member@example.com", "get users --role admin"),
    path="/api/users",
    named_by="email",
    columns=(("EMAIL", "email"), ("NAME", "name"), ("ROLE", "role"), ("TEAMS", "teams.name"),
             ("STATUS", "status"), ("LAST SEEN", "last_seen"), ("ID", "id")),
    filters=_filters,
    query=lambda _, asked: {"role": asked.role},
    options=_options,
    create=_create,
    made=("create user member@example.com --team developers",),
    deletes="sessions, keys and open streams in this account end within seconds",
)  # fmt: skip

"""Accounts of the installation, for its administrators."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun, without_none


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--admin", metavar="EMAIL", help="its first admin; otherwise you")
    parser.add_argument("--time-zone", default="UTC", metavar="ZONE", help="such as Europe/Berlin (UTC)")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    body = without_none(name=asked.name, admin_email=asked.admin, time_zone=asked.time_zone)
    account = api.post("/api/accounts", body)
    password = account.get("one_time_password")
    return Created(account, account, ("one-time password", password) if password else None)


NOUN = Noun(
    title="account",
    plural="accounts",
    found=("get account main",),
    path="/api/accounts",
    columns=(
        ("NAME", "name"),
        ("USERS", "users"),
        ("TIME ZONE", "time_zone"),
        ("CREATED", "created"),
        ("ID", "id"),
    ),
    options=_options,
    create=_create,
    made=("create account acme --admin member@example.com --time-zone Europe/Berlin",),
    has_path=False,
)

"""Administrators of the installation: users of any account, made so by one another."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="EMAIL", help="of a user of any account")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    made = api.post("/api/administrators", {"email": asked.name})
    return Created(made, made)


NOUN = Noun(
    title="administrator",
    plural="administrators",
    found=("get administrators", "get administrator root@example.com"),
    path="/api/administrators",
    named_by="email",
    columns=(
        ("EMAIL", "email"),
        ("NAME", "name"),
        ("STATUS", "status"),
        ("LAST SEEN", "last_seen"),
        ("ID", "id"),
    ),
    options=_options,
    create=_create,
    made=("create administrator root@example.com",),
    deletes="they stay a user of their accounts, and administer the installation no more",
    has_path=False,
)

"""API keys: one's own, or a service account's."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.resources import Created, Noun, ids_of, without_none


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--service-account", metavar="ID", default="", help="that service account's keys")
    parser.add_argument("--everyone", action="store_true", help="all keys of the account (admins)")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "--scope", action="append", metavar="SCOPE", help="users, users:read, …; none given: all"
    )
    parser.add_argument("--service-account", metavar="NAME", help="for a service account: name or id")
    parser.add_argument("--expires-days", type=int, metavar="N")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    owner = ids_of(
        api,
        "/api/service-accounts",
        [asked.service_account] if asked.service_account else None,
        "service-account",
    )
    body = without_none(
        name=asked.name,
        scopes=asked.scope,
        service_account=owner[0] if owner else None,
        expires_days=asked.expires_days,
    )
    answer = api.post("/api/api-keys", body)
    return Created(answer, answer["api_key"], ("key", answer["key"]))


NOUN = Noun(
    title="api-key",
    path="/api/api-keys",
    columns=(("NAME", "name"), ("PREFIX", "prefix"), ("OWNER", "owner.name"), ("SCOPES", "scopes"),
             ("LAST USED", "last_used"), ("EXPIRES", "expires"), ("ID", "id")),
    filters=_filters,
    query=lambda asked: {"owner": asked.service_account, "all": asked.everyone or None},
    options=_options,
    create=_create,
    deletes="whatever uses it is locked out at once",
)  # fmt: skip

"""API keys: one's own, or a service account's."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api, Query
from argosy.cli.resources import Created, Noun, ids_of, without_none


def _narrows(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--service-account", metavar="NAME", default="", help="a key of that service account: name or id"
    )
    parser.add_argument("--everyone", action="store_true", help="any key of the account (admins)")


def _query(api: Api, asked: argparse.Namespace) -> Query:
    return {"owner": _owner(api, asked.service_account), "all": asked.everyone or None}


def _owner(api: Api, name: str | None) -> str | None:
    return ids_of(api, "/api/service-accounts", [name], "service-account")[0] if name else None


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "--scope", action="append", metavar="SCOPE", help="users, users:read, …; none given: all"
    )
    parser.add_argument("--service-account", metavar="NAME", help="for a service account: name or id")
    parser.add_argument("--expires-days", type=int, metavar="N", help="none given: it does not end")


def _create(api: Api, asked: argparse.Namespace) -> Created:
    body = without_none(
        name=asked.name,
        scopes=asked.scope,
        service_account=_owner(api, asked.service_account),
        expires_days=asked.expires_days,
    )
    answer = api.post("/api/api-keys", body)
    return Created(answer, answer["api_key"], ("key", answer["key"]))


NOUN = Noun(
    title="api-key",
    plural="api-keys",
    found=("get api-keys --service-account deployer", "get api-keys --everyone"),
    path="/api/api-keys",
    columns=(("NAME", "name"), ("PREFIX", "prefix"), ("OWNER", "owner.name"), ("SCOPES", "scopes"),
             ("LAST USED", "last_used"), ("EXPIRES", "expires"), ("ID", "id")),
    narrows=_narrows,
    query=_query,
    options=_options,
    create=_create,
    made=("create api-key laptop -o json", "create api-key ci --service-account deployer --scope teams:read --expires-days 90"),
    has_path=False,
    deletes="whatever uses it is locked out at once",
)  # fmt: skip

"""get, create and delete for any noun: what differs between nouns is data and one function.

`argosy get teams`, `argosy get team NAME`, `argosy create team NAME`, `argosy delete team NAME`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from argosy.cli.api import Api, Json, Query, segment
from argosy.cli.failures import NOT_FOUND, REFUSED, USAGE, Failure
from argosy.cli.output import Column, Form, say, show
from argosy.cli.terminal import plain

_ID = re.compile(r"[0-9a-f]{24}")
_NAMED = 5  # so many ids stand in a message
Options = Callable[[argparse.ArgumentParser], None]


@dataclass(frozen=True)
class Created:
    """What the platform answered, the thing in it, and what is shown only this once."""

    answer: Json
    thing: Json
    secret: tuple[str, str] | None = None  # its name, and it


@dataclass(frozen=True)
class Noun:
    title: str
    plural: str
    path: str
    columns: Sequence[Column]
    named_by: str = "name"
    narrows: Options | None = None  # of get and delete: which ones are meant
    filters: Options | None = None  # of get
    query: Callable[[Api, argparse.Namespace], Query] = lambda _api, _asked: {}
    found: Sequence[str] = ()  # examples of get
    options: Options | None = None  # of create; None: cannot be created
    create: Callable[[Api, argparse.Namespace], Created] | None = None
    made: Sequence[str] = ()  # examples of create
    deletes: str = ""  # what deleting one ends, for the question before it; empty: cannot be deleted
    finds: bool = True  # one can be named; the audit log only by id
    has_path: bool = True  # one has a path of its own; otherwise it is found in the list


def get(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    form: Form = asked.output
    query = noun.query(api, asked)
    if asked.name:
        show(find(noun, api, asked.name, query), form, noun.columns)
        return
    if asked.limit < 1:
        raise Failure("--limit is a number from 1 on", cure="--all shows everything", status=USAGE)
    most = None if asked.all else asked.limit
    items, more = api.pages(noun.path, most=most, search=asked.search, **_sorted(asked), **query)
    if not items and form == "table":
        say("nothing matches" if asked.search or any(query.values()) else f"no {noun.plural} yet")
        return
    show(items, form, noun.columns)
    if more:
        say(f"the first {len(items)}; --all shows the rest")


def _sorted(asked: argparse.Namespace) -> dict[str, str]:
    return {"sort": asked.sort} if getattr(asked, "sort", "") else {}


def find(noun: Noun, api: Api, name: str, query: Query | None = None) -> Json:
    """By id, or by the exact name."""
    by_id = _ID.fullmatch(name) is not None
    if not noun.finds or (by_id and noun.has_path):
        return api.get(f"{noun.path}/{segment(name)}")
    items, _ = api.pages(noun.path, most=None, search="" if by_id else name, **(query or {}))
    field = "id" if by_id else noun.named_by
    matching = [item for item in items if str(item[field]).lower() == name.lower()]
    if not matching:
        raise Failure(
            f"there is no {noun.title} {name!r}", cure=f"argosy get {noun.plural}", status=NOT_FOUND
        )
    if len(matching) > 1:
        ids = ", ".join(str(item["id"]) for item in matching[:_NAMED])
        more = ", …" if len(matching) > _NAMED else ""
        raise Failure(
            f"{name!r} names {len(matching)} {noun.plural}", cure=f"use an id: {ids}{more}", status=REFUSED
        )
    return matching[0]


def create(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    if noun.create is None:
        raise Failure(f"a {noun.title} cannot be created here", status=USAGE)
    created = noun.create(api, asked)
    form: Form = asked.output
    show(created.answer if form != "table" else created.thing, form, noun.columns)
    if created.secret and form == "table":
        name, value = created.secret
        sys.stdout.write(f"\n{name}  {plain(value)}\n")
        say("shown only now: store it safely")


def delete(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    thing = find(noun, api, asked.name, noun.query(api, asked) if noun.narrows else None)
    label = str(thing[noun.named_by])
    if not asked.yes:
        _confirm(f"{noun.title} {label}: {noun.deletes}")
    api.delete(f"{noun.path}/{segment(str(thing['id']))}")
    if asked.output == "table":
        say(f"{noun.title} {label} is deleted")
    else:
        show({"id": thing["id"], "deleted": True}, asked.output, ())


def _confirm(what: str) -> None:
    if not sys.stdin.isatty():
        raise Failure(what, cure="add --yes to really delete it", status=REFUSED)
    sys.stderr.write(f"{plain(what)}\nDelete it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failure("nothing was deleted")


def ids_of(api: Api, path: str, names: Sequence[str] | None, what: str) -> list[str]:
    """Ids for names, for a body that refers to other things."""
    noun = Noun(title=what, plural=f"{what}s", path=path, columns=())
    return [name if _ID.fullmatch(name) else str(find(noun, api, name)["id"]) for name in names or ()]


def user_ids(api: Api, emails: Sequence[str] | None) -> list[str]:
    noun = Noun(title="user", plural="users", path="/api/users", columns=(), named_by="email")
    return [name if _ID.fullmatch(name) else str(find(noun, api, name)["id"]) for name in emails or ()]


def without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}

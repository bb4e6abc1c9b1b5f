"""get, create and delete for any noun: what differs between nouns is data and one function.

`argosy get teams`, `argosy get team NAME`, `argosy create team NAME`, `argosy delete team NAME`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from argosy.cli.api import Api, Json, segment
from argosy.cli.failures import NOT_FOUND, REFUSED, USAGE, Failure
from argosy.cli.output import Column, Form, say, show

_ID = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True)
class Created:
    """What the platform answered, the thing in it, and what is shown only this once."""

    answer: Json
    thing: Json
    secret: tuple[str, str] | None = None  # its name, and it


@dataclass(frozen=True)
class Noun:
    title: str
    path: str
    columns: Sequence[Column]
    named_by: str = "name"
    filters: Callable[[argparse.ArgumentParser], None] | None = None
    query: Callable[[argparse.Namespace], dict[str, str | int | bool | None]] = field(default=lambda _: {})
    options: Callable[[argparse.ArgumentParser], None] | None = None  # of create; None: cannot be created
    create: Callable[[Api, argparse.Namespace], Created] | None = None
    deletes: str = ""  # what deleting one ends, for the question before it; empty: cannot be deleted
    finds: bool = True  # one can be named; the audit log only by id


def get(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    form: Form = asked.output
    if asked.name:
        show(find(noun, api, asked.name), form, noun.columns)
        return
    most = None if asked.all else asked.limit
    items, more = api.pages(noun.path, most=most, search=asked.search, **_sorted(asked), **noun.query(asked))
    if not items and form == "table":
        say(f"no {noun.title}s" + (" match" if asked.search else " yet"))
        return
    show(items, form, noun.columns)
    if more:
        say(f"the first {len(items)}; --all shows the rest")


def _sorted(asked: argparse.Namespace) -> dict[str, str]:
    return {"sort": asked.sort} if getattr(asked, "sort", "") else {}


def find(noun: Noun, api: Api, name: str) -> Json:
    """By id, or by the exact name."""
    if _ID.fullmatch(name) or not noun.finds:
        return api.get(f"{noun.path}/{segment(name)}")
    items, _ = api.pages(noun.path, most=None, search=name)
    matching = [item for item in items if str(item[noun.named_by]).lower() == name.lower()]
    if not matching:
        raise Failure(
            f"there is no {noun.title} {name!r}", cure=f"argosy get {noun.title}s", status=NOT_FOUND
        )
    if len(matching) > 1:
        ids = ", ".join(str(item["id"]) for item in matching)
        raise Failure(f"{name!r} names {len(matching)} of them", cure=f"use an id: {ids}", status=REFUSED)
    return matching[0]


def create(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    if noun.create is None:
        raise Failure(f"a {noun.title} cannot be created here", status=USAGE)
    created = noun.create(api, asked)
    form: Form = asked.output
    show(created.answer if form != "table" else created.thing, form, noun.columns)
    if created.secret and form == "table":
        name, value = created.secret
        sys.stdout.write(f"\n{name}  {value}\n")
        say("shown only now: store it safely")


def delete(noun: Noun, api: Api, asked: argparse.Namespace) -> None:
    thing = find(noun, api, asked.name)
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
        raise Failure(f"{what}", cure="add --yes to really do it", status=REFUSED)
    sys.stderr.write(f"{what}\nDelete it? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Failure("nothing was deleted")


def ids_of(api: Api, path: str, names: Sequence[str] | None, what: str) -> list[str]:
    """Ids for names, for a body that refers to other things."""
    noun = Noun(title=what, path=path, columns=())
    return [name if _ID.fullmatch(name) else str(find(noun, api, name)["id"]) for name in names or ()]


def user_ids(api: Api, emails: Sequence[str] | None) -> list[str]:
    noun = Noun(title="user", path="/api/users", columns=(), named_by="email")
    return [name if _ID.fullmatch(name) else str(find(noun, api, name)["id"]) for name in emails or ()]


def without_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}

"""`argosy logout`: ends the key that `login` made for this machine, and forgets the platform."""

from __future__ import annotations

import argparse

from argosy.cli import contexts
from argosy.cli.api import Api, segment
from argosy.cli.contexts import Context
from argosy.cli.failures import NOT_FOUND, NOT_SIGNED_IN, UNAVAILABLE, Failure
from argosy.cli.output import say
from argosy.cli.parsers import context_option
from argosy.kit.arguments import Parser

EXAMPLES = ("logout", "logout --context 127.0.0.1:8080")


def add(parser: Parser) -> None:
    context_option(parser)


def run(asked: argparse.Namespace) -> None:
    kept = contexts.load()
    name = asked.context or kept.current
    if name not in kept.known:
        raise contexts.absent(name) if name else Failure("nobody is signed in", status=NOT_SIGNED_IN)
    ended = end_key(kept.known[name])
    with contexts.changing() as kept:
        contexts.forget(kept, name)
    say(f"signed out of {name}" + ("" if ended else "; its key was not made by `login` and still works"))


def end_key(context: Context) -> bool:
    """False: the key is somebody's own and stays. One that has ended already is no failure."""
    if not context.key_id:
        return False
    try:
        Api(context).delete(f"/api/api-keys/{segment(context.key_id)}")
    except Failure as failure:
        if failure.status == UNAVAILABLE:
            failure.cure = f"try again; `argosy config delete-context {context.name}` only forgets the key"
        if failure.status not in (NOT_SIGNED_IN, NOT_FOUND):
            raise
    return True

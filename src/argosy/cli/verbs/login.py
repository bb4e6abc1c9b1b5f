"""`argosy login URL`: trade a password for a key of this machine's own, or keep a key that one has."""

from __future__ import annotations

import argparse
import getpass
import platform
import sys

from argosy.cli import contexts
from argosy.cli.api import Api
from argosy.cli.contexts import Context
from argosy.cli.failures import REFUSED, USAGE, Failure
from argosy.cli.output import say

KEY_DAYS = 90


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL")
    parser.add_argument("--email")
    parser.add_argument("--password", help="asked for when it is not given; `-` reads a line from stdin")
    parser.add_argument("--new-password", help="to replace a one-time password")
    parser.add_argument("--api-key", metavar="KEY", help="keep this key instead; `-` reads a line from stdin")
    parser.add_argument("--context", metavar="NAME", help="name to keep it under (default: the host)")
    parser.add_argument("--ca", metavar="FILE", default="", help="certificate to trust")


def run(asked: argparse.Namespace) -> None:
    url = asked.url.rstrip("/")
    name = asked.context or url.partition("://")[2] or url
    bare = Context(name, url, ca=asked.ca)
    key = _line(asked.api_key) if asked.api_key else _key_for_password(bare, asked)
    context = Context(name, url, key, asked.ca)
    me = Api(context).get("/api/me")
    kept = contexts.load()
    kept.known[name], kept.current = context, name
    contexts.save(kept)
    say(
        f"signed in to {url} as {me['email'] or me['name']}, account {me['account']['name']} (context {name})"
    )


def _key_for_password(bare: Context, asked: argparse.Namespace) -> str:
    if not asked.email and not sys.stdin.isatty():
        raise Failure(
            "nobody can be asked here", cure="give --email and --password, or --api-key", status=USAGE
        )
    email = asked.email or _asked("E-mail: ")
    password = _line(asked.password) if asked.password else getpass.getpass("Password: ")
    session = Api(bare, cookie=Api(bare).sign_in(email, password))
    if session.get("/api/me")["must_change_password"]:
        new = _new_password(asked)
        session.post("/api/me/password", {"current": password, "new": new})
        session = Api(bare, cookie=Api(bare).sign_in(email, new))
    made = session.post(
        "/api/api-keys", {"name": f"cli on {platform.node()}"[:120], "expires_days": KEY_DAYS}
    )
    session.post("/api/auth/logout")
    return str(made["key"])


def _new_password(asked: argparse.Namespace) -> str:
    if asked.new_password:
        return _line(asked.new_password)
    if not sys.stdin.isatty():
        raise Failure(
            "this is a one-time password: it must be changed first", cure="add --new-password", status=REFUSED
        )
    say("this is a one-time password: choose your own now")
    new = getpass.getpass("New password: ")
    if new != getpass.getpass("Again: "):
        raise Failure("the two are not the same")
    return new


def _line(value: str) -> str:
    return sys.stdin.readline().rstrip("\n") if value == "-" else value


def _asked(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()

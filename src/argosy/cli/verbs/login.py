"""`argosy login URL`: trade a password for a key of this machine's own, or keep a key that one has."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from argosy.cli import contexts
from argosy.cli.api import Api, Json
from argosy.cli.contexts import Context
from argosy.cli.failures import REFUSED, USAGE, Failure
from argosy.cli.output import say
from argosy.cli.verbs.logout import end_key
from argosy.kit.arguments import Parser

KEY_DAYS = 90
EXAMPLES = (
    "login http://127.0.0.1:8080 --email you@example.com",
    "login https://argosy.example.com --api-key - < key.txt",
    "login https://argosy.example.com --email ci@example.com --password - < password.txt",
)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def add(parser: Parser) -> None:
    parser.add_argument("url", metavar="URL", help="such as http://127.0.0.1:8080")
    parser.add_argument("--email", metavar="EMAIL", help="asked for when it is not given")
    parser.add_argument(
        "--password", metavar="PASSWORD", help="asked for when it is not given; - reads a line from stdin"
    )
    parser.add_argument(
        "--new-password", metavar="PASSWORD", help="to replace a one-time password; - reads a line from stdin"
    )
    parser.add_argument("--api-key", metavar="KEY", help="keep this key instead; - reads a line from stdin")
    parser.add_argument("--context", metavar="NAME", default="", help="to keep it under (default: the host)")
    parser.add_argument("--ca", metavar="FILE", default="", help="PEM file with the certificate to trust")


def run(asked: argparse.Namespace) -> None:
    if asked.api_key and (asked.email or asked.password or asked.new_password):
        raise Failure("--api-key and a password exclude each other", cure="give one of them", status=USAGE)
    url = contexts.origin(asked.url)
    name = asked.context or url.partition("://")[2]
    contexts.check_writable()
    earlier = contexts.load().known.get(name)
    device = earlier.device if earlier is not None and earlier.url == url else ""
    bare = Context(
        name, url, device=device, ca=str(Path(asked.ca).expanduser().absolute()) if asked.ca else ""
    )
    _warn_of_plain_text(url)
    if asked.api_key:
        context = _with(bare, _line(asked.api_key))
    else:
        made, device = _key_for_password(bare, asked)
        context = _with(replace(bare, device=device), made["key"], made["api_key"]["id"])
    me = Api(context).get("/api/me")
    with contexts.changing() as kept:
        before = kept.known.get(name)
        kept.known[name], kept.current = context, name
    who, account = me["email"] or me["name"], me["account"]["name"]
    say(f"signed in to {url} as {who}, account {account} (context {name})")
    if os.environ.get("ARGOSY_URL"):
        say("note: ARGOSY_URL is set, and wins over this context until it is not")
    if before is not None and before.url == url and before.key != context.key:
        _end_earlier(before)


def _with(bare: Context, key: str, key_id: str = "") -> Context:
    return replace(bare, key=key, key_id=key_id)


def _end_earlier(before: Context) -> None:
    """Signing in again must not leave a trail of keys; one that cannot be ended now ends by itself."""
    try:
        end_key(before)
    except Failure as failure:
        say(f"the key of the earlier sign-in could not be ended: {failure.message}")


def _warn_of_plain_text(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        say("warning: over http:// the password and the key can be read on the way")


def _key_for_password(bare: Context, asked: argparse.Namespace) -> tuple[Json, str]:
    """The key, and the device that this machine is known as from now on."""
    if not sys.stdin.isatty() and not (asked.email and asked.password):
        raise Failure(
            "nobody can be asked here",
            cure="give --email and --password - (a line on stdin), or --api-key -", status=USAGE,
        )  # fmt: skip
    email = asked.email or _asked("E-mail: ")
    password = _line(asked.password) if asked.password else _hidden("Password: ")
    with _session(bare, email, password) as (session, device):
        if not session.get("/api/me")["must_change_password"]:
            return _own_key(session), device
        new = _new_password(asked)
        session.post("/api/me/password", {"new": new})
    with _session(replace(bare, device=device), email, new) as (session, device):
        return _own_key(session), device


@contextmanager
def _session(bare: Context, email: str, password: str) -> Iterator[tuple[Api, str]]:
    """Ended again in any case: the key is what stays, and the device as which this machine is known."""
    signed_in = Api(bare).sign_in(email, password)
    session = Api(bare, cookie=signed_in.session)
    try:
        yield session, signed_in.device
    finally:
        try:
            session.post("/api/auth/logout")
        except Failure as failure:
            say(f"the session that made the key stays open until it expires: {failure.message}")


def _own_key(session: Api) -> Json:
    name = f"cli on {platform.node()}"[:120]
    return session.post("/api/api-keys", {"name": name, "expires_days": KEY_DAYS})


def _new_password(asked: argparse.Namespace) -> str:
    if asked.new_password:
        return _line(asked.new_password)
    if not sys.stdin.isatty():
        raise Failure(
            "this is a one-time password: it must be changed first",
            cure="add --new-password - (a second line on stdin)", status=REFUSED,
        )  # fmt: skip
    say("this is a one-time password: choose your own now")
    new = _hidden("New password: ")
    if new != _hidden("Again: "):
        raise Failure("the two are not the same", cure="try again")
    return new


def _line(value: str) -> str:
    if value != "-":
        return value
    line = sys.stdin.readline().rstrip("\r\n")
    if not line:
        raise Failure("stdin has no line to read", cure="pipe it in, one per line", status=USAGE)
    return line


def _asked(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def _hidden(question: str) -> str:
    from getpass import getpass

    return getpass(question, stream=sys.stderr)

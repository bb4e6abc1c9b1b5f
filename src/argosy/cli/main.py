"""`argosy`: picks the verb and imports only what that verb needs.

The verbs of the installation (`up`, `down`, …) replace this process by `python -m argosy.host`, which parses its own
options. All others talk to a platform over HTTP.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from argosy import __version__
from argosy.cli.failures import EXIT_CODES, FAILED, OK, USAGE, Failure

if TYPE_CHECKING:
    from argosy.cli.resources import Noun

HOST_VERBS = {
    "up": "start the platform",
    "down": "stop it",
    "status": "show its processes",
    "doctor": "show what this machine has and lacks",
    "backup": "write all data to one file",
    "restore": "bring back a backup",
    "reset": "delete all data (without --yes: show what that is)",
    "upgrade": "rehearse an upgrade on a copy of the database",
    "service": "run under systemd",
    "admin": "help for locked-out people",
    "serve": "run some services, for a deployment of your own",
}
RESOURCE_VERBS = {
    "get": "list things, or show one",
    "create": "create one",
    "delete": "delete one",
}
VERBS = {
    "login": "sign in to a platform",
    "whoami": "show who is signed in",
    "config": "choose between platforms",
    "access": "explain who may do what",
    "audit": "verify and export the audit log",
    "completion": "a completion script for your shell",
}


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in HOST_VERBS:
        _become_host(words)
    if words and words[0] == "__complete":
        from argosy.cli.complete import candidates

        sys.stdout.write("\n".join(candidates(words[1:])) + "\n")
        return OK
    try:
        _run(words)
    except Failure as failure:
        sys.stderr.write("\n".join(failure.lines()) + "\n")
        return failure.status
    except BrokenPipeError:  # `argosy … | head`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except KeyboardInterrupt:
        sys.stderr.write("argosy: interrupted\n")
        return FAILED
    return OK


def _become_host(words: list[str]) -> None:
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "argosy.host", *words])


def _run(words: list[str]) -> None:
    if not words or words[0] in ("-h", "--help", "help"):
        sys.stdout.write(overview())
        return
    if words[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"argosy {__version__}\n")
        return
    verb, rest = words[0], words[1:]
    if verb in RESOURCE_VERBS:
        _resource(verb, rest)
    elif verb in VERBS:
        module = importlib.import_module(f"argosy.cli.verbs.{verb}")
        parser = new_parser(verb, VERBS[verb])
        module.add(parser)
        module.run(parser.parse_args(rest))
    else:
        from difflib import get_close_matches

        near = get_close_matches(verb, [*HOST_VERBS, *RESOURCE_VERBS, *VERBS], n=1)
        cure = f"did you mean `argosy {near[0]}`?" if near else "argosy --help lists the verbs"
        raise Failure(f"there is no verb {verb!r}", cure=cure, status=USAGE)


def _resource(verb: str, rest: list[str]) -> None:
    from argosy.cli import contexts, resources
    from argosy.cli.api import Api

    parser, noun = resource_parser(verb, rest)
    asked = parser.parse_args(rest[1:])
    api = Api(contexts.active(asked.context))
    {"get": resources.get, "create": resources.create, "delete": resources.delete}[verb](noun, api, asked)


def resource_parser(verb: str, rest: list[str]) -> tuple[argparse.ArgumentParser, Noun]:
    from argosy.cli import nouns

    possible = (
        [name for name in nouns.NAMES if _can(verb, nouns.load(name))]
        if not rest or rest[0].startswith("-")
        else []
    )
    if possible:
        sys.stdout.write(f"usage: argosy {verb} THING …\n\nthings: {', '.join(possible)}\n")
        raise SystemExit(OK if rest else USAGE)
    name = nouns.spelled(rest[0])
    if not name:
        raise Failure(f"there is no {rest[0]!r}", cure=f"things: {', '.join(nouns.NAMES)}", status=USAGE)
    noun = nouns.load(name)
    if not _can(verb, noun):
        raise Failure(f"argosy cannot {verb} {name}", status=USAGE)
    parser = new_parser(f"{verb} {rest[0]}", f"{RESOURCE_VERBS[verb]}: {noun.title}")
    _resource_options(parser, verb, noun)
    return parser, noun


def _can(verb: str, noun: Noun) -> bool:
    return {"get": True, "create": noun.create is not None, "delete": bool(noun.deletes)}[verb]


def _resource_options(parser: argparse.ArgumentParser, verb: str, noun: Noun) -> None:
    if verb == "create" and noun.options is not None:
        noun.options(parser)
    elif verb == "delete":
        parser.add_argument("name", metavar="NAME|ID")
        parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    else:
        parser.add_argument("name", metavar="NAME|ID", nargs="?", default="")
        parser.add_argument("--search", default="", help="only what matches")
        parser.add_argument("--limit", type=int, default=50, metavar="N")
        parser.add_argument("--all", action="store_true", help="everything, page by page")
        if noun.finds:
            parser.add_argument(
                "--sort", default="", metavar="FIELD", help="a minus before it turns it round"
            )
        if noun.filters is not None:
            noun.filters(parser)
    parser.add_argument("-o", "--output", choices=("table", "json", "yaml"), default="table")
    parser.add_argument("--context", default="", metavar="NAME", help="instead of the current one")


def new_parser(name: str, words: str) -> argparse.ArgumentParser:
    return argparse.ArgumentParser(
        prog=f"argosy {name}",
        description=words,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def overview() -> str:
    def block(title: str, verbs: dict[str, str]) -> str:
        return f"{title}:\n" + "".join(f"  {verb:<12}{words}\n" for verb, words in verbs.items())

    return (
        "usage: argosy VERB …\n\n"
        + block("this machine's installation", HOST_VERBS)
        + "\n"
        + block(
            "things (users, teams, service-accounts, api-keys, access-rules, accounts, audit)", RESOURCE_VERBS
        )
        + "\n"
        + block("a platform", VERBS)
        + "\n`argosy VERB --help` tells more.\n\n"
        + EXIT_CODES
    )


if __name__ == "__main__":
    sys.exit(main())

"""`argosy`: picks the verb and imports only what that verb needs.

The verbs of the installation (`up`, `down`, …) replace this process by `python -m argosy.host`, which parses its own
options. All others talk to a platform over HTTP.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from argosy import __version__
from argosy.cli.catalogue import ALL, HOST_VERBS, RESOURCE_VERBS, VERBS, overview
from argosy.cli.failures import INTERRUPTED, OK, USAGE, Failure


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter gets its number
    try:
        _run(words)
        sys.stdout.flush()
    except Failure as failure:
        return _tell(failure)
    except BrokenPipeError:  # `argosy … | head`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:  # a full disk behind `>`, or a terminal that has gone
        return _tell(
            Failure(f"the system refused: {error.strerror or error}", where=str(error.filename or ""))
        )
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        return INTERRUPTED
    return OK


def _tell(failure: Failure) -> int:
    sys.stderr.write("\n".join(failure.lines()) + "\n")
    return failure.status


def _run(words: list[str]) -> None:
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if not words or words[0] in ("-h", "--help"):
        sys.stdout.write(overview())
    elif words[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"argosy {__version__}\n")
    elif words[0] == "__complete":
        _complete(words[1:])
    elif words[0] in HOST_VERBS:
        _become_host(words)
    elif words[0] in RESOURCE_VERBS:
        _resource(words[0], words[1:])
    elif words[0] in VERBS:
        from argosy.cli import parsers

        parsers.verb_named(words[0]).run(parsers.verb_parser(words[0]).parse_args(words[1:]))
    else:
        raise _no_verb(words[0])


def _no_verb(word: str) -> Failure:
    from difflib import get_close_matches

    near = get_close_matches(word, ALL, n=3)
    near.sort(key=lambda verb: sorted(verb) != sorted(word))  # most often two letters have changed places
    cure = f"did you mean `argosy {near[0]}`?" if near else "argosy --help lists the verbs"
    return Failure(f"there is no verb {word!r}", cure=cure, status=USAGE)


def _become_host(words: list[str]) -> None:
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-m", "argosy.host", *words])


def _complete(words: list[str]) -> None:
    if words[:1] and words[0] in HOST_VERBS:
        _become_host(["__complete", *words])
    from argosy.cli.complete import candidates

    sys.stdout.write("".join(f"{word}\n" for word in candidates(words)))


def _resource(verb: str, rest: list[str]) -> None:
    from argosy.cli import contexts, parsers, resources
    from argosy.cli.api import Api

    if rest[:1] in (["-h"], ["--help"]):
        sys.stdout.write(parsers.resource_help(verb))
        return
    noun = parsers.noun_named(verb, rest)
    asked = parsers.resource_parser(verb, noun).parse_args(rest[1:])
    api = Api(contexts.active(asked.context))
    {"get": resources.get, "create": resources.create, "delete": resources.delete}[verb](noun, api, asked)


if __name__ == "__main__":
    sys.exit(main())

"""The words that can follow what is typed: verbs, nouns, options, their choices, and the contexts of this machine.
Asks no server, so it is instant. `verbs.completion` has the scripts that call it, by `argosy __complete`.
"""

from __future__ import annotations

from collections.abc import Sequence

from argosy.cli import contexts, nouns, parsers
from argosy.cli.catalogue import ALL, HOST_VERBS, RESOURCE_VERBS, VERBS
from argosy.cli.failures import Failure

_NAMES_A_CONTEXT = ("use-context", "delete-context", "--context")


def candidates(words: Sequence[str]) -> list[str]:
    """`words` are those before the one being typed; the host completes its own verbs."""
    if not words:
        return sorted(ALL)
    if words[0] == "help":
        return sorted((*HOST_VERBS, *RESOURCE_VERBS, *VERBS)) if len(words) == 1 else []
    if words[-1] in _NAMES_A_CONTEXT and words[0] != "login":
        return _contexts()
    if words[0] in RESOURCE_VERBS:
        return _of_a_thing(words[0], words[1:])
    return parsers.verb_parser(words[0]).following(words[1:]) if words[0] in VERBS else []


def _of_a_thing(verb: str, words: Sequence[str]) -> list[str]:
    possible = parsers.able(verb)
    if not words:
        return possible
    name = nouns.spelled(words[0])
    if name not in possible:
        return []
    return parsers.resource_parser(verb, nouns.load(name)).following(words[1:])


def _contexts() -> list[str]:
    try:
        return sorted(contexts.load().known)
    except Failure:
        return []  # the next real command says what is wrong with the file

"""How an entry is found by what somebody types: as words and beginnings of words, cut the same way on both sides.

`sealer` stores an entry's words, `store` searches with them. Words are letters and digits only, so neither a
tsquery nor another account's marker can be smuggled in.
"""

from __future__ import annotations

import re

from argosy.contracts.audit import Recorded

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 64
_MOST = 60


def words_of(record: Recorded) -> list[str]:
    texts = (record.actor.name, record.operation, record.resource, record.resource_name, record.resource_id)
    return sorted(set(_words(" ".join(texts))[:_MOST]))


def account_word(account: str) -> str:
    """Stands among an entry's words, so that the index finds one account's entries only."""
    return f"@{account}"


def prefix_query(account: str, search: str) -> str:
    """A tsquery: every word must begin some word of the entry. Empty, if there is nothing to search for."""
    words = _words(search)
    if not words:
        return ""
    return " & ".join([f"'{account_word(account)}'", *(f"'{word}':*" for word in words)])


def _words(text: str) -> list[str]:
    return [word[:_LONGEST] for word in _WORD.findall(text.casefold())]

"""How an entry is found by what somebody types: as words and beginnings of words, cut the same way on both sides.

`sealer` stores an entry's words, `store` searches with them. Words are letters and digits only, so neither a
tsquery nor another account's marker can be smuggled in.
"""

from __future__ import annotations

import hashlib
import re

from argosy.contracts.audit import Recorded

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 64
_MOST = 60


def words_of(record: Recorded) -> list[str]:
    texts = (record.actor.name, record.operation, record.resource, record.resource_name, record.resource_id)
    mark = account_mark(record.account)
    return sorted({f"{mark}{word}" for word in _words(" ".join(texts))[:_MOST]})


def account_mark(account: str) -> str:
    """Stands before each word, so that the index leads to one account's entries and never walks another's."""
    return hashlib.sha256(account.encode()).hexdigest()[:8] + ":"


def prefix_query(account: str, search: str) -> str:
    """A tsquery: every word must begin some word of the entry. Empty, if there is nothing to search for."""
    mark = account_mark(account)
    return " & ".join(f"'{mark}{word}':*" for word in _words(search))


def _words(text: str) -> list[str]:
    return [word[:_LONGEST] for word in _WORD.findall(text.casefold())]

"""The anchors that belong to a dump: signed heads of audit chains, no more and no less than its snapshot knows.

The audit log grows while a backup is taken. Copied before the dump, anchors would lack what the database already holds to
be anchored ("anchors are missing"); copied after it, they would vouch for entries that came later ("the end is cut off").
So they are copied after, without the heads that are ahead of the snapshot. What was anchored then is among the rest, since
a head is in its file before the database is told. A chain only grows, so what stands below is as true as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from argosy.platform.audit.signing import Statement

Heads = Mapping[tuple[str, str], int]
_SET_ASIDE = ".1.jsonl"


def belonging(folder: Path, heads: Heads | None) -> Iterator[tuple[Path, bytes]]:
    """Files and what of them belongs to a snapshot with these `heads`; None: the audit log lies elsewhere, all of it.

    A file may be set aside meanwhile: those are looked for last, so that its lines are found in one place or in both.
    """
    for aside in (False, True):
        for path in sorted(folder.rglob("*")):
            if path.name.endswith(_SET_ASIDE) is not aside or path.name.startswith("."):
                continue
            try:
                content = b"" if path.is_symlink() or not path.is_file() else path.read_bytes()
            except FileNotFoundError:  # set aside since it was listed
                continue
            if content := content if heads is None else _up_to(content, heads):
                yield path, content


def _up_to(content: bytes, heads: Heads) -> bytes:
    """The last line may be one that is just being written. What is none of ours stays, for `verify` to complain about."""
    whole = content[: content.rfind(b"\n") + 1]
    return b"".join(line for line in whole.splitlines(keepends=True) if not _is_ahead(line, heads))


def _is_ahead(line: bytes, heads: Heads) -> bool:
    try:
        said = msgspec.json.decode(line, type=Statement)
    except msgspec.MsgspecError:
        return False
    return said.what == "head" and said.number > heads.get((said.account, said.chain), 0)

"""What a ref, a revision and a hash may look like, before Git is asked: nothing that it could take for an option.

The rules are those of `git check-ref-format`, and no more is let through than Git would take. Used wherever a name comes from outside:
an Application's revision, a branch in a URL, a ref in a push.
"""

from __future__ import annotations

import re

from argosy.kit.git.failing import Failure, GitFailed

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
NO_COMMIT = "0" * 40
"""How Git writes that a ref is not there: before its creation, after its deletion."""

_OID = re.compile(r"[0-9a-f]{40}")
_ABBREVIATED = re.compile(r"[0-9a-f]{7,40}")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|[/.]$|^[/.-]")
_LONGEST = 240  # a ref is a file's path in some folder, and a file's name may have 255 bytes


def is_oid(text: str) -> bool:
    return _OID.fullmatch(text) is not None


def is_abbreviated(text: str) -> bool:
    """The beginning of a hash, as short as Git abbreviates it."""
    return _ABBREVIATED.fullmatch(text) is not None


def is_ref_name(text: str) -> bool:
    """A branch's or tag's name, or a full one like `refs/heads/main`."""
    if not text or text == "@" or len(text) > _LONGEST or not text.isprintable():
        return False
    return _FORBIDDEN.search(text) is None


def ref_name(text: str) -> str:
    if not is_ref_name(text):
        raise GitFailed(
            f"{text[:80]!r} cannot be the name of a branch or tag",
            code=Failure.NAME,
            cure="letters, digits, '-', '_', '.' and '/' always work; not at its start: '-', '.' and '/'",
        )
    return text


def full_ref(text: str) -> str:
    """A ref with its kind: `refs/heads/…`, `refs/tags/…`."""
    if not text.startswith("refs/") or text.count("/") < 2:
        raise GitFailed(
            f"{text[:80]!r} is not a full ref",
            code=Failure.NAME,
            cure="write refs/heads/<branch> or refs/tags/<tag>",
        )
    return ref_name(text)


def oid(text: str) -> str:
    if not is_oid(text):
        raise GitFailed(
            f"{text[:80]!r} is not a commit's hash", code=Failure.NAME, cure="give all 40 hexadecimal digits"
        )
    return text

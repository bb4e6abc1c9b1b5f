"""What this package needs of repositories, whoever has them."""

from __future__ import annotations

import re
from typing import Protocol

from argosy.manifests.tree import Tree

_SHORT_SSH = re.compile(r"(?:[^@/]+@)?([^/:@]+):(?!//)(.+)")
_FULL = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*://(?:[^@/]*@)?([^/:]+|\[[^\]]+\])(?::\d+)?/(.*)")


class Repository(Protocol):
    async def tree(self, url: str, revision: str, *, fresh: bool = False) -> Tree:
        """The files at a branch, tag or commit; of nothing, those of the default branch. `fresh`: ask the remote now. Raises
        `SourceError`, in words for people."""


def same_place(left: str, right: str) -> bool:
    """Whether two URLs mean one repository, whatever way they take to it."""
    return _place(left) == _place(right)


def _place(url: str) -> tuple[str, str]:
    found = _FULL.fullmatch(url) or _SHORT_SSH.fullmatch(url)
    host, path = (found[1].lower(), found[2]) if found else ("", url)
    return host, path.strip("/").removesuffix(".git").lower()


def may_mean(wanted: str, announced: str) -> bool:
    """Whether a change of the announced branch or tag may be one of what is wanted. The default branch has no name here."""
    if not announced or wanted in {"", "HEAD"}:
        return True
    return _short(wanted) == _short(announced)


def _short(revision: str) -> str:
    return re.sub(r"^refs/(?:heads|tags)/", "", revision)

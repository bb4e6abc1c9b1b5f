"""What a revision means among the branches and tags of a repository, in the order in which Argo CD looks."""

from __future__ import annotations

import re

from argosy.argo.cd.repositories import versions
from argosy.kit.git.refs import Refs

_COMMIT = re.compile(r"[0-9A-Fa-f]{40}")
_ABBREVIATED = re.compile(r"[0-9A-Fa-f]{7,39}")


def commit(revision: str) -> str | None:
    """A whole hash is itself."""
    return revision.lower() if _COMMIT.fullmatch(revision) else None


def abbreviated(revision: str) -> str | None:
    return revision.lower() if _ABBREVIATED.fullmatch(revision) else None


def is_range(revision: str) -> bool:
    return versions.is_range(revision)


def find(refs: Refs, revision: str, tag_prefix: str = "") -> str | None:
    """The newest tag in a range; with a prefix, an exact version is a tag too; then branches, tags and full refs."""
    if versions.is_range(revision):
        tags = {
            name.removeprefix(tag_prefix): commit
            for name, commit in refs.tags.items()
            if name.startswith(tag_prefix)
        }
        if newest := versions.newest(revision, tags):
            return tags[newest]
    if tag_prefix and versions.parse(revision) is not None:
        found = refs.commits.get(f"refs/tags/{tag_prefix}{revision}")
        if found is not None:
            return found
    return refs.find(revision)


def ref_of(refs: Refs | None, commit: str) -> str:
    """Where a commit was seen, so that its server need not serve bare hashes."""
    if refs is None:
        return ""
    return next((name for name, one in refs.commits.items() if one == commit and name != "HEAD"), "")

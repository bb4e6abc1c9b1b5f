"""The branches and tags of a repository, and what a revision means among them.

`revision` is what stands in an Application: empty, `HEAD`, a branch, a tag, a full ref, a hash or its beginning. The order is that of Argo CD:
a hash is itself; then the refs as they are listed, so a branch goes before a tag of the same name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from argosy.kit.git.names import is_oid

_BRANCHES: Final = "refs/heads/"
_TAGS: Final = "refs/tags/"


@dataclass(frozen=True, slots=True)
class Refs:
    """`commits`: full ref → commit. Tags that are objects of their own stand for the commit they name."""

    commits: Mapping[str, str] = field(default_factory=dict)
    head: str = ""
    """The default branch as a full ref; empty where the repository has no commit or its HEAD points at one."""

    @property
    def branches(self) -> dict[str, str]:
        return _below(_BRANCHES, self.commits)

    @property
    def tags(self) -> dict[str, str]:
        return _below(_TAGS, self.commits)

    def find(self, revision: str) -> str | None:
        """The commit, or None: then it may still be the beginning of a hash, which only a repository can tell."""
        if is_oid(revision):
            return revision
        if revision in {"", "HEAD"}:
            return self.commits.get(self.head) or self.commits.get("HEAD")
        for name in (revision, f"{_BRANCHES}{revision}", f"{_TAGS}{revision}", f"refs/{revision}"):
            if (found := self.commits.get(name)) is not None:
                return found
        return None


def parse(output: str) -> Refs:
    """`git ls-remote --symref`: `<hash>\\t<ref>`, `ref: <ref>\\tHEAD`, and `<ref>^{}` for what a tag names."""
    commits: dict[str, str] = {}
    head = ""
    for line in output.splitlines():
        what, _, name = line.partition("\t")
        if what.startswith("ref: "):
            head = what.removeprefix("ref: ") if name == "HEAD" else head
        elif name and is_oid(what):
            commits[name.removesuffix("^{}")] = what  # the peeled line comes after the tag's own
    return Refs(commits, head)


def _below(prefix: str, commits: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix(prefix): oid for name, oid in commits.items() if name.startswith(prefix)}

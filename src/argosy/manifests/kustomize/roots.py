"""Where a kustomization stands, and what it may reach from there.

A root is the folder of one kustomization file. Files are read from it and below; other roots may be anywhere in the repository, but never
around a root that led there. What is remote is refused.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, replace

from argosy.manifests.kustomize.documents import LARGEST_FILE
from argosy.manifests.kustomize.kustomization import NAMES
from argosy.manifests.tree import MissingPath, SourceError, Tree, inside

_SCHEME = re.compile(r"(?i)^(?:git::)?(?:ssh|https?|file)://")
_GITHUB = re.compile(r"(?i)^(?:git::)?(?:ssh://)?(?:[a-z][a-z0-9-]*@)?github\.com[/:]")
_SCP = re.compile(r"^(?:git::)?[a-zA-Z][a-zA-Z0-9-]*@[^/:]+[:/].")
_MOST_FILES = 10_000


class Remote(SourceError):
    """A base, component or file with a URL."""


@dataclass(slots=True)
class Budget:
    """How much one build may read: a base that is named a million times must end."""

    files: int = _MOST_FILES

    def spend(self, path: str) -> None:
        self.files -= 1
        if self.files < 0:
            raise SourceError(
                f"'{path}': this build reads more than {_MOST_FILES} files; take bases out that are used again and again"
            )


@dataclass(frozen=True, slots=True)
class Root:
    tree: Tree
    path: str
    budget: Budget
    confined: bool = True
    """Whether files must be in or below the root (`--load-restrictor LoadRestrictionsRootOnly`)."""
    above: tuple[str, ...] = ()
    """The roots that led here."""

    def kustomization(self) -> tuple[str, str]:
        """The name and the text of the one kustomization file."""
        found = [name for name in NAMES if self.tree.form(self._join(name)) == "file"]
        if not found:
            names = f"{', '.join(repr(name) for name in NAMES[:-1])} or {NAMES[-1]!r}"
            raise SourceError(f"unable to find one of {names} in directory '{self.shown}'")
        if len(found) > 1:
            raise SourceError(f"Found multiple kustomization files under: {self.shown}")
        return found[0], self._text(self._join(found[0]))

    @property
    def shown(self) -> str:
        return self.path or "."

    def file(self, path: str) -> str:
        return self._text(self._reached(path))

    def data(self, path: str) -> bytes:
        return self._bytes(self._reached(path))

    def _reached(self, path: str) -> str:
        if _SCHEME.match(path):
            raise Remote(
                f"'{path}' is remote, and nothing is fetched while rendering; keep a copy in the repository"
            )
        if path.startswith("/"):
            raise SourceError(f"security; file '{path}' is not in or below '{self.shown}'")
        full = inside(self.path, path, says=f"'{path}'")
        if self.tree.form(full) == "folder":
            raise SourceError(f"'{full or '.'}' must resolve to a file")
        if self.confined and not _below(full, self.path):
            raise SourceError(f"security; file '{full}' is not in or below '{self.shown}'")
        return full

    def _text(self, full: str) -> str:
        data = self._bytes(full)
        try:
            return data.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            raise SourceError(f"'{full}' is not UTF-8 text: byte {error.start}") from error

    def _bytes(self, full: str) -> bytes:
        self.budget.spend(full)
        try:
            data = self.tree.read(full)
        except MissingPath as error:
            raise MissingPath(f"open {full}: no such file or directory") from error
        if len(data) > LARGEST_FILE:
            raise SourceError(f"'{full}' is larger than {LARGEST_FILE} bytes")
        return data

    def below(self, path: str) -> Root:
        """Another root, named from this one."""
        if not path:
            raise SourceError("new root cannot be empty")
        if is_remote(path):
            raise Remote(f"'{path}' is a remote base, and nothing is fetched while rendering")
        if path.startswith("/"):
            raise SourceError(f"new root '{path}' cannot be absolute")
        if any(".." in part and part != ".." for part in path.split("/")):
            raise SourceError(
                f'path "{path}" is ambiguous: resolves to "{posixpath.normpath(path)}" after normalization, which is likely not the'
                " intended target; check for YAML indentation errors in your kustomization file"
            )
        full = inside(self.path, path, says=f"'{path}'")
        form = self.tree.form(full)
        if form != "folder":
            why = "does not exist" if form is None else "is a file"
            raise SourceError(f"must build at directory: not a valid directory: '{full}' {why}")
        for visited in (self.path, *reversed(self.above)):
            if _below(visited, full):
                raise SourceError(
                    f"cycle detected: candidate root '{full or '.'}' contains visited root '{visited or '.'}'"
                )
        self.budget.spend(full)
        return replace(self, path=full, above=(*self.above, self.path))

    def _join(self, name: str) -> str:
        return posixpath.join(self.path, name)


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")


def is_remote(path: str) -> bool:
    """What upstream would clone: a URL, `user@host:path`, `github.com/owner/repo`."""
    return bool(_SCHEME.match(path) or _GITHUB.match(path) or _SCP.match(path))

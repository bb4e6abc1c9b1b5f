"""Where a job's files are, and the tree that is made of it: a commit of a bare mirror with the submodules that were fetched, or a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree
from argosy.manifests.folder import FolderTree
from argosy.manifests.tree import MissingPath, SourceError, Tree


class Place(msgspec.Struct, frozen=True):
    """A commit of a bare repository, or a folder (then `commit` is empty). `submodules`: by their path in it."""

    path: str
    commit: str = ""
    submodules: tuple[tuple[str, Place], ...] = ()


class MissingSubmodule(SourceError):
    """Something in it was read, and it was not fetched yet. `chain` leads there from `root`: a path in the repository, in its submodule, and on."""

    def __init__(self, root: Place, chain: Sequence[str]) -> None:
        super().__init__(f"the submodule {' → '.join(chain)} was not fetched")
        self.root, self.chain = root, list(chain)


class _Fetched(Mapping[str, GitTree]):
    """Says which one is missing as soon as somebody needs it."""

    def __init__(self, trees: Mapping[str, GitTree], root: Place, chain: tuple[str, ...]) -> None:
        self._trees, self._root, self._chain = trees, root, chain

    def __getitem__(self, path: str) -> GitTree:
        if path not in self._trees:
            raise MissingSubmodule(self._root, [*self._chain, path])
        return self._trees[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._trees)

    def __len__(self) -> int:
        return len(self._trees)


def tree_of(place: Place) -> Tree:
    return _committed(place, place, ()) if place.commit else FolderTree(Path(place.path))


@lru_cache(maxsize=64)
def _committed(place: Place, root: Place, chain: tuple[str, ...]) -> GitTree:
    """Kept for the next job: what was read of a commit stays true."""
    inside = {path: _committed(one, root, (*chain, path)) for path, one in place.submodules}
    reader = _reader(place.path)
    fetched = _Fetched(inside, root, chain)
    return GitTree(reader, place.commit, submodules=fetched, missing=MissingPath, refused=SourceError)


@lru_cache(maxsize=32)
def _reader(path: str) -> Reader:
    return Reader(Path(path))

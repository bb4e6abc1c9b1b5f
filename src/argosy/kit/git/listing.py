"""Every path of a commit at once, for questions about the whole tree: which folders exist, which files match a pattern.

Rendering needs only few folders and reads them one by one (`tree`); a generator over directories wants them all, on an event loop, and
asks `git ls-tree` once for each commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from argosy.kit.git import names
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.reading import Entry, entry
from argosy.kit.git.running import MEGABYTE, run

_LIMIT = 128 * MEGABYTE


async def listing(repository: Path, commit: str, path: str = "") -> Mapping[str, Entry]:
    """Path → what it is, folders included, links not followed, in Git's order."""
    words = ["ls-tree", "-r", "-t", "-z", "--full-tree", "--end-of-options", names.oid(commit)]
    output = await run(
        *words, *(["--", f"{path.rstrip('/')}/"] if path else []), repository=repository, limit=_LIMIT
    )
    entries = parse(output)
    entries.pop(path.rstrip("/"), None)
    return entries


async def folder(repository: Path, commit: str, path: str = "") -> Mapping[str, Entry]:
    """What is directly in a folder: name → what it is. Raises for a path that is none."""
    asked = f"{names.oid(commit)}^{{tree}}" if not path else f"{names.oid(commit)}:{path}"
    try:
        output = await run("ls-tree", "-z", "--full-tree", "--end-of-options", asked, repository=repository)
    except GitFailed as error:
        if error.code != Failure.UNKNOWN_REVISION:
            raise
        raise GitFailed(
            f"there is no folder {path!r} in {commit[:12]}",
            code=Failure.MISSING_PATH,
            cure="look at the folder above",
        ) from error
    return parse(output)


def parse(output: bytes) -> dict[str, Entry]:
    """`<mode> <type> <oid>\\t<path>`, each ended by a zero byte."""
    entries: dict[str, Entry] = {}
    for line in output.split(b"\0"):
        if line:
            told, _, path = line.partition(b"\t")
            mode, _type, oid = told.decode().split()[:3]
            entries[path.decode("utf-8", "surrogateescape")] = entry(mode, oid)
    return entries

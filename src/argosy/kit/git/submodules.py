"""Which submodules a commit has: where they are, what they are, at which commit. Nobody fetches them unasked.

An address in `.gitmodules` was written by whoever can write to the repository, so it passes the same judgement as any other.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from pathlib import Path

from argosy.kit.git.addresses import Address, parse
from argosy.kit.git.listing import listing
from argosy.kit.git.names import oid
from argosy.kit.git.running import run


@dataclass(frozen=True, slots=True)
class Submodule:
    path: str
    address: Address
    commit: str


async def submodules(repository: Path, commit: str, *, of: Address) -> list[Submodule]:
    """`of`: the repository's own address, which relative ones start from."""
    entries = await listing(repository, commit)
    linked = {path: entry.oid for path, entry in entries.items() if entry.kind == "submodule"}
    if not linked or ".gitmodules" not in entries:
        return []
    words = [
        "config",
        f"--blob={oid(commit)}:.gitmodules",
        "-z",
        "--get-regexp",
        r"^submodule\..*\.(path|url)$",
    ]
    said = await run(*words, repository=repository, accept=(0, 1))
    urls = _urls(said.decode("utf-8", "surrogateescape"))
    return [
        Submodule(path, resolve(of, urls[path]), commit) for path, commit in linked.items() if path in urls
    ]


def resolve(base: Address, url: str) -> Address:
    if not url.startswith(("./", "../")):
        return parse(url)
    return parse(replace(base, path=posixpath.normpath(posixpath.join(base.path, url))).url)


def _urls(said: str) -> dict[str, str]:
    """path → URL. Each pair is `submodule.<name>.<key>\\n<value>`."""
    found: dict[str, dict[str, str]] = {}
    for pair in said.split("\0"):
        key, _, value = pair.partition("\n")
        name, _, which = key.rpartition(".")
        found.setdefault(name, {})[which] = value
    return {one["path"].rstrip("/"): one["url"] for one in found.values() if "path" in one and "url" in one}

"""What commits say of themselves, and what changed between two of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Literal, TypeAlias

from argosy.kit.git.names import EMPTY_TREE, oid
from argosy.kit.git.running import MEGABYTE, run

Signature: TypeAlias = Literal["", "openpgp", "ssh", "x509"]
Change: TypeAlias = Literal["added", "changed", "removed"]

_PERSON = re.compile(r"(?P<name>.*?) ?<(?P<email>[^>]*)> ?(?P<seconds>-?\d+)? ?(?P<zone>[+-]\d{4})?.*")
_LIMIT = 64 * MEGABYTE
_LATEST = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    email: str
    date: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    oid: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str
    signature: Signature = ""
    """Which kind of signature it bears. That one is there says nothing of whether it is good."""

    @property
    def subject(self) -> str:
        return self.message.partition("\n")[0]


async def commits(
    repository: Path, *, include: str, exclude: str = "", path: str = "", limit: int = 100, skip: int = 0
) -> list[Commit]:
    """Newest first, from `include` without what `exclude` has already; with a path only those that touched it."""
    words = ["rev-list", f"--max-count={limit:d}", f"--skip={skip:d}", "--end-of-options", oid(include)]
    if exclude:
        words.append(f"^{oid(exclude)}")
    found = (await run(*words, *(["--", f":(literal){path}"] if path else []), repository=repository)).split()
    if not found:
        return []
    asked = b"\n".join(found) + b"\n"
    return list(_many(await run("cat-file", "--batch", repository=repository, stdin=asked, limit=_LIMIT)))


async def count(repository: Path, include: str, exclude: str = "") -> int:
    words = [
        "rev-list",
        "--count",
        "--end-of-options",
        oid(include),
        *([f"^{oid(exclude)}"] if exclude else []),
    ]
    return int(await run(*words, "--", repository=repository))


async def commit(repository: Path, of: str) -> Commit:
    return parse(oid(of), await run("cat-file", "commit", oid(of), repository=repository))


async def tags_of(repository: Path, of: str) -> list[str]:
    output = await run(
        "for-each-ref",
        f"--points-at={oid(of)}",
        "--format=%(refname:strip=2)",
        "refs/tags/",
        repository=repository,
    )
    return output.decode(errors="replace").split()


async def changes(repository: Path, before: str, after: str) -> dict[str, Change]:
    """Path → what happened to it. An empty `before` is the state before the first commit."""
    words = ["diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv"]
    output = await run(
        *words,
        "--end-of-options",
        oid(before) if before else EMPTY_TREE,
        oid(after),
        "--",
        repository=repository,
        limit=_LIMIT,
    )
    words = output.decode("utf-8", "surrogateescape").split("\0")
    kinds: dict[str, Change] = {"A": "added", "D": "removed"}
    return {path: kinds.get(kind, "changed") for kind, path in zip(words[::2], words[1::2], strict=False)}


async def is_ancestor(
    repository: Path, older: str, newer: str, *, variables: Mapping[str, str] | None = None
) -> bool:
    """Whether moving a branch from one to the other loses no commit. An unknown commit is nobody's ancestor. `variables`: where
    objects that are not accepted yet lie."""
    base = await run(
        "merge-base",
        "--end-of-options",
        oid(older),
        oid(newer),
        repository=repository,
        variables=variables,
        accept=(0, 1, 128),
    )
    return base.decode().strip() == older


async def branches(repository: Path, prefix: str = "refs/heads/") -> dict[str, str]:
    output = await run(
        "for-each-ref",
        "--format=%(objectname) %(refname)",
        prefix,
        repository=repository,
    )
    pairs = (line.split(" ", 1) for line in output.decode("utf-8", "surrogateescape").splitlines())
    return {name: found for found, name in pairs}


async def peeled(repository: Path) -> dict[str, str]:
    """Every ref and the commit it leads to."""
    words = "--format=%(objectname) %(*objectname) %(refname)"
    output = await run("for-each-ref", words, "refs/", repository=repository)
    lines = (line.split(" ", 2) for line in output.decode("utf-8", "replace").splitlines())
    return {name: inner or outer for outer, inner, name in lines}


def parse(of: str, content: bytes) -> Commit:
    """A commit object: headers, an empty line, the message."""
    head, _, message = content.decode("utf-8", "replace").partition("\n\n")
    headers: dict[str, list[str]] = {}
    name = ""
    for line in head.split("\n"):
        if line.startswith(" ") and name:
            headers[name][-1] += line[1:] + "\n"
        else:
            name, _, value = line.partition(" ")
            headers.setdefault(name, []).append(f"{value}\n" if name == "gpgsig" else value)
    return Commit(
        oid=of,
        tree=headers.get("tree", [""])[0],
        parents=tuple(headers.get("parent", [])),
        author=_person(headers.get("author", [""])[0]),
        committer=_person(headers.get("committer", [""])[0]),
        message=message.strip("\n"),
        signature=_signature(headers.get("gpgsig", [""])[0]),
    )


def _many(output: bytes) -> Iterator[Commit]:
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        of, _type, size = output[at:end].decode().split()
        yield parse(of, output[end + 1 : end + 1 + int(size)])
        at = end + int(size) + 2


def _person(text: str) -> Person:
    found = _PERSON.fullmatch(text)
    if found is None:
        return Person(text, "", datetime.fromtimestamp(0, UTC))
    seconds = min(max(int((found["seconds"] or "0")[:15]), 0), _LATEST)
    return Person(
        found["name"], found["email"], datetime.fromtimestamp(seconds, _zone(found["zone"] or "+0000"))
    )


def _zone(text: str) -> timezone:
    minutes = int(text[1:3]) * 60 + int(text[3:5])
    return UTC if minutes >= 24 * 60 else timezone(timedelta(minutes=minutes if text[0] == "+" else -minutes))


def _signature(text: str) -> Signature:
    if text.startswith("-----BEGIN SSH"):
        return "ssh"
    if text.startswith("-----BEGIN SIGNED MESSAGE"):
        return "x509"
    return "openpgp" if text.startswith("-----BEGIN PGP") else ""

"""The audit log goes on while a backup is taken, and what is restored is whole all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from argosy.backends.database import Database
from argosy.backends.database.migrations import migrate
from argosy.domain.chain import Head
from argosy.host.backup import backup, restore
from argosy.host.backup import taking as taking_module
from argosy.host.backup.anchors import belonging
from argosy.host.paths import DataDir
from argosy.host.postgres.roles import dsn, ensure_databases
from argosy.platform.audit import anchors as anchors_module
from argosy.platform.audit.anchors import Anchors
from argosy.platform.audit.signing import Signer
from tests.supervised_postgres import Supervised
from tests.unit.platform.audit.conftest import ACCOUNT, START, World

HASH = b"h" * 32


def in_the_audit_log_of(data: DataDir, work: Callable[[World], object]) -> object:
    async def working() -> object:
        database = Database(dsn(data, "audit"), service="audit")
        await database.open()
        try:
            await migrate(database, "argosy.platform.audit.migrations")
            return await work(World(database, data.root))
        finally:
            await database.close()

    return asyncio.run(working())


@pytest.fixture
def audited(place: Path) -> Iterator[Supervised]:
    with Supervised(DataDir(place / "argosy")) as installation:
        asyncio.run(ensure_databases(installation.data, ["audit"]))
        in_the_audit_log_of(installation.data, lambda world: world.changes(3))
        yield installation


@pytest.mark.parametrize("moment", ["before the dump", "after the dump"])
@pytest.mark.parametrize("largest", [10**9, 1], ids=["one file", "rotated meanwhile"])
def test_what_is_sealed_and_anchored_during_a_backup_makes_no_restored_chain_look_cut(
    audited: Supervised, place: Path, monkeypatch: pytest.MonkeyPatch, moment: str, largest: int
) -> None:
    dumped = taking_module.dumped
    monkeypatch.setattr(anchors_module, "_LARGEST", largest)

    def goes_on() -> None:
        in_the_audit_log_of(audited.data, lambda world: world.changes(2))

    def dumping(data: DataDir, *rest: str) -> Iterator[bytes]:
        if moment == "before the dump":
            goes_on()
        yield from dumped(data, *rest)
        if moment == "after the dump":
            goes_on()

    monkeypatch.setattr(taking_module, "dumped", dumping)
    backup(audited.data, place / "backup.tar")
    restore(DataDir(place / "other"), place / "backup.tar")

    with Supervised(DataDir(place / "other")) as other:
        found = in_the_audit_log_of(other.data, lambda world: world.verify())

    assert (found.problem, found.entries, found.anchored) == ("", 3, 3)


def test_a_head_that_the_snapshot_lacks_is_left_out_and_nothing_else(tmp_path: Path) -> None:
    signer, anchors = Signer(tmp_path), Anchors(tmp_path / "anchors")
    said = [
        signer.sign("head", ACCOUNT, kind, Head(number, HASH), START)
        for kind, number in (("change", 4), ("read", 9), ("change", 5), ("change", 6))
    ]
    anchors.append(ACCOUNT, said)
    file = tmp_path / "anchors" / f"{ACCOUNT}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines, b"forged\n", b'{"what":"head","acc']))

    kept = dict(belonging(tmp_path / "anchors", {(ACCOUNT, "change"): 5, (ACCOUNT, "read"): 9}))

    assert kept == {file: b"".join([*lines[:3], b"forged\n"])}
    assert dict(belonging(tmp_path / "anchors", {})) == {file: b"forged\n"}
    assert dict(belonging(tmp_path / "anchors", None)) == {file: file.read_bytes()}


def test_a_file_that_is_set_aside_while_it_is_copied_is_found_in_its_new_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "anchors"
    signer, anchors = Signer(tmp_path), Anchors(folder)
    anchors.append(ACCOUNT, [signer.sign("head", ACCOUNT, "change", Head(1, HASH), START)])
    monkeypatch.setattr(anchors_module, "_LARGEST", 1)
    plain = Path.read_bytes

    def set_aside_first(path: Path) -> bytes:
        monkeypatch.setattr(Path, "read_bytes", plain)
        anchors.append(ACCOUNT, [signer.sign("head", ACCOUNT, "change", Head(2, HASH), START)])
        return plain(path)

    monkeypatch.setattr(Path, "read_bytes", set_aside_first)
    kept = b"".join(content for _, content in belonging(folder, {(ACCOUNT, "change"): 2}))

    assert kept.count(b'"number":1,') == 1 and kept.count(b'"number":2,') == 1

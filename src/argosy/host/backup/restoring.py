"""Brings back a backup: checked whole before anything is touched, built beside the old data, then swapped in.

Refused while the installation runs, and over existing data unless forced. A failure at any point before the
swap leaves the old data exactly as it was.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from argosy import __version__
from argosy.host.backup import archive, clusters
from argosy.host.backup.dump import load
from argosy.host.backup.manifest import Manifest
from argosy.host.backup.staging import finish_interrupted, stage_of, swap_in, wipe
from argosy.host.clusters.home import homes
from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import find_binaries
from argosy.host.postgres.cluster import Report, explain, prepare_cluster
from argosy.host.postgres.location import locate, settle
from argosy.host.postgres.passwords import ADMIN, EVENTS, password
from argosy.host.postgres.process import stop_leftovers
from argosy.host.postgres.roles import (
    DATABASE,
    connected,
    create_database,
    ensure_layout,
    ensure_roles,
    local_dsn,
)
from argosy.host.postgres.temporary import temporarily_running
from argosy.host.supervisor.lock import held
from argosy.kit.errors import Conflict

_CHUNK = 1024 * 1024


def restore(data: DataDir, file: Path, force: bool = False, report: Report = lambda _: None) -> Manifest:
    report("checking the backup")
    manifest = archive.read(file)
    _check_versions(manifest)
    with _stopped(data):
        if (there := preview(data)) and not force:
            raise Conflict(
                f"{data.root} is not empty; the restore would replace: {', '.join(there)}",
                code="restore.not_empty",
                cure="choose an empty --data-dir, or add --force to replace what is there",
            )
        stop_leftovers(data, report)
        try:
            _fill(data, stage_of(data), file, manifest, report)
            report("replacing the old data" if there else "moving it into place")
            swap_in(data)
        except OSError as error:
            raise explain(error, data) from error
    if manifest.elsewhere:
        report(f"not in this backup, on servers of their own: {', '.join(manifest.elsewhere)}")
    for line in _told_of_clusters(manifest):
        report(line)
    report(f"restored the backup of {manifest.taken:%Y-%m-%d %H:%M} UTC")
    return manifest


def preview(data: DataDir) -> list[str]:
    """What a restore would replace, in words; empty for a directory without an installation."""
    found = []
    if locate(data).exists():
        found.append("the database")
    for folder in (data.secrets, data.anchors):
        if count := sum(1 for path in folder.rglob("*") if path.is_file()):
            found.append(f"{folder.name} ({count} file{'s' if count > 1 else ''})")
    if data.settings.exists():
        found.append(data.settings.name)
    if count := sum(1 for _ in data.git.glob("*/*.git")):
        found.append(f"the Git repositories ({count})")
    if there := homes(data):
        found.append(f"the embedded clusters ({', '.join(one.name for one in there)})")
    return found


def _told_of_clusters(manifest: Manifest) -> Iterator[str]:
    if not manifest.knows_clusters:
        yield "this backup is from before embedded clusters were in it; those that were here stay as they are"
    for name, reason in manifest.left_out.items():
        yield f"not in this backup, the embedded cluster {name}: {reason}"


@contextmanager
def _stopped(data: DataDir) -> Iterator[None]:
    """The supervisor's lock, and a directory that no earlier, interrupted restore still occupies."""
    try:
        data.create()
    except OSError as error:
        raise explain(error, data) from error
    with held(data.lock) as ours:
        if not ours:
            raise Conflict(
                f"the installation in {data.root} is running",
                code="restore.running",
                cure="stop it with 'argosy down', then restore",
            )
        finish_interrupted(data)
        yield


def _check_versions(manifest: Manifest) -> None:
    here = find_binaries().version
    for what, theirs, ours in (
        ("PostgreSQL", manifest.postgres, here),
        ("Argosy", manifest.argosy, __version__),
    ):
        depth = 1 if what == "PostgreSQL" else 3
        if _numbers(theirs)[:depth] > _numbers(ours)[:depth]:
            raise Conflict(
                f"the backup is of {what} {theirs}, which is newer than the {ours} that is installed",
                code="restore.newer",
                cure="install the version of Argosy that wrote it, or a later one",
            )


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _fill(data: DataDir, stage: DataDir, file: Path, manifest: Manifest, report: Report) -> None:
    # As root this opens the way for the cluster's owner, so that the copy can lie beside the original.
    settle(data)
    try:
        stage.create()
        archive.unpack(file, stage.root, manifest)
        with empty_database(stage, manifest.services, report):
            report("restoring the database")
            with archive.member(file, archive.DUMP) as dump:
                load(stage, iter(lambda: dump.read(_CHUNK), b""))
            asyncio.run(ensure_layout(stage, manifest.services))
        if manifest.clusters:
            report("restoring the embedded clusters")
        clusters.bring_back(stage, file, manifest)
    except BaseException:
        wipe(stage)
        raise


@contextmanager
def empty_database(data: DataDir, services: list[str], report: Report) -> Iterator[None]:
    """A running server with the roles that a dump mentions, and a database without anything."""
    prepare_cluster(data, report)
    with temporarily_running(data, report):
        asyncio.run(_empty(data, services))
        yield


async def _empty(data: DataDir, services: list[str]) -> None:
    async with connected(local_dsn(data, ADMIN, "postgres")) as admin:
        await ensure_roles(admin, {name: password(data, name) for name in (*services, EVENTS)})
        await create_database(admin, DATABASE)

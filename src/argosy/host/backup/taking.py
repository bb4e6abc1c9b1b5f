"""Writes a backup of a running or stopped installation: one private file that appears whole or not at all.

The order matters. The dump is of one snapshot. Secrets must be able to open every row of it, so they are copied after;
so are the audit log's anchors, without what is newer than the snapshot (`anchors`). The embedded clusters (`clusters`) are
other systems, each of its own moment.
"""

from __future__ import annotations

import errno
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from argosy import __version__
from argosy.host.backup import archive, clusters
from argosy.host.backup.anchors import belonging
from argosy.host.backup.dump import dumped
from argosy.host.backup.manifest import FORMAT, Manifest
from argosy.host.backup.repositories import bundles
from argosy.host.backup.server import reachable, services_elsewhere, services_here, snapshot
from argosy.host.lifecycle.datadir import user_name
from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import find_binaries
from argosy.host.postgres.cluster import Report
from argosy.kit.errors import ArgosyError, Conflict

_SAY_EVERY_SECONDS = 2.0


def backup(data: DataDir, file: Path, report: Report = lambda _: None) -> Manifest:
    if file.exists():
        raise Conflict(
            f"{file} exists already", code="backup.exists", cure="choose another name for the backup"
        )
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        with reachable(data, report) as running:
            manifest = _write(data, draft, report, running=running)
        report("reading it back")
        archive.read(draft)
        draft.rename(file)
        _sync_folder(file.absolute().parent)
    except OSError as error:
        raise _told_why(data, file, error) from error
    finally:
        draft.unlink(missing_ok=True)
    if manifest.elsewhere:
        report(f"not included, on servers of their own: {', '.join(manifest.elsewhere)}")
    report(f"backup written: {file} ({_megabytes(file.stat().st_size)})")
    return manifest


def _write(data: DataDir, draft: Path, report: Report, *, running: bool) -> Manifest:
    services, elsewhere = services_here(data), services_elsewhere()
    taken = time.time()
    with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as stream:
        writer = archive.Writer(stream, taken)
        report("copying the database")
        with snapshot(data) as moment:
            writer.add(archive.DUMP, _told(dumped(data, moment.name), report))
        for path, content in belonging(data.anchors, moment.audit_heads):
            writer.add(path.relative_to(data.root).as_posix(), [content])
        for path, chunks in bundles(data):
            report(f"copying the repository {path.stem}")
            writer.add(path.relative_to(data.root).as_posix(), chunks)
        _add_folder(writer, data, data.secrets)
        if data.settings.is_file():
            writer.add(data.settings.name, [data.settings.read_bytes()])
        added = clusters.add(writer, data, report, running=running)
        manifest = Manifest(
            format=FORMAT,
            argosy=__version__,
            postgres=find_binaries().version,
            taken=datetime.fromtimestamp(taken, UTC),
            services=services,
            elsewhere=elsewhere,
            members=dict(writer.members),
            clusters=added.clusters,
            left_out=added.left_out,
        )
        writer.finish(manifest)
        stream.flush()
        os.fsync(stream.fileno())
    return manifest


def _add_folder(writer: archive.Writer, data: DataDir, folder: Path) -> None:
    """Regular files only; a hidden one is another process's unfinished draft."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith("."):
            continue
        try:
            content = path.read_bytes()
        except FileNotFoundError:  # replaced or removed since it was listed
            continue
        writer.add(path.relative_to(data.root).as_posix(), [content])


def _told(chunks: Iterable[bytes], report: Report) -> Iterator[bytes]:
    size, said = 0, time.monotonic()
    for chunk in chunks:
        size += len(chunk)
        if time.monotonic() - said > _SAY_EVERY_SECONDS:
            said = time.monotonic()
            report(f"copying the database: {_megabytes(size)}")
        yield chunk


def _megabytes(size: int) -> str:
    return f"{size / 1024 / 1024:.1f} MB"


def _told_why(data: DataDir, file: Path, error: OSError) -> ArgosyError:
    if str(error.filename or "").startswith(f"{data.root}/"):
        return Conflict(
            f"cannot read the installation: {error.strerror or error}",
            code="backup.not_readable",
            cure=f"run as {user_name(data.root.stat().st_uid)}, whom the installation belongs to",
            context={"where": str(error.filename)},
        )
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Conflict(
            f"the disk that holds {file.parent} is full",
            code="disk_full",
            cure="write the backup to another disk",
        )
    return Conflict(
        f"cannot write the backup {file}: {error.strerror or error}",
        code="backup.not_writable",
        cure="choose a file in a folder that exists and is writable",
    )


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

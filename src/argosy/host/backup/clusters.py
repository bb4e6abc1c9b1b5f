"""The embedded clusters in a backup: each as of one moment of its own, with its keys, its name and its port.

Called by `taking` and `restoring`. What a cluster holds comes from the process that runs it, which goes on writing, or from the
file when nothing runs; its small files are copied as they lie, private like the secrets. One that cannot be read is left out and
named, and does not keep the rest from being backed up. Every start looks into this package for a restore that was cut short, so what
reads a cluster is imported when it is needed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from argosy.host.backup import archive
from argosy.host.backup.manifest import Manifest, damaged
from argosy.host.clusters.home import Home, homes
from argosy.host.paths import DataDir
from argosy.host.postgres.cluster import Report
from argosy.kit import clock
from argosy.kit.errors import ArgosyError, NotFound, Unavailable

START_SECONDS = 60.0


@dataclass(slots=True)
class Added:
    clusters: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def add(writer: archive.Writer, data: DataDir, report: Report, *, running: bool) -> Added:
    added = Added()
    there = homes(data)
    if there and running:
        _await_their_process(data, report)
    for one in there:
        report(f"copying the embedded cluster {one.name}")
        plain = one.plain_files()
        objects = _from_process(data, one) if running else _from_file(one)
        try:
            writer.add(_member(data, one.folder / archive.OBJECTS), objects)
        except ArgosyError as error:
            if error.code == "kube.cluster":  # deleted since it was listed
                continue
            if not error.code.startswith("journal."):
                raise
            added.left_out[one.name] = error.message
            report(f"not included, the embedded cluster {one.name}: {error.message}")
            continue
        for path, content in plain.items():
            writer.add(_member(data, path), [content])
        added.clusters.append(one.name)
    return added


def bring_back(stage: DataDir, file: Path, manifest: Manifest) -> None:
    """Into a directory where their plain files lie already."""
    from argosy.kube.server.store import snapshot

    for name in manifest.clusters:
        home = Home(stage.clusters / name)
        objects = _member(stage, home.folder / archive.OBJECTS)
        with archive.member(file, objects) as lines:
            try:
                asyncio.run(snapshot.bring_back(home.objects, lines, clock.now()))
            except ValueError as error:
                raise damaged(f"{objects} cannot be read: {error}") from error
    if not manifest.knows_clusters:
        stage.clusters.rmdir()


def _await_their_process(data: DataDir, report: Report) -> None:
    from argosy.host.clusters import reaching

    deadline, said = time.monotonic() + START_SECONDS, False
    while True:
        try:
            reaching.ask(data, "GET", "/clusters")
            return
        except NotFound as error:
            if time.monotonic() > deadline:
                raise Unavailable(
                    "the running installation's embedded clusters do not answer",
                    code="backup.clusters_not_ready",
                    cure="see 'argosy status', and try again when the process 'cluster' is healthy",
                ) from error
        if not said:
            report("waiting for the embedded clusters")
            said = True
        time.sleep(0.2)


def _from_process(data: DataDir, home: Home) -> Iterator[bytes]:
    from argosy.host.clusters import reaching

    return reaching.objects(data, home.name)


def _from_file(home: Home) -> Iterator[bytes]:
    from argosy.kube.server.store import snapshot

    yield from snapshot.pieces(asyncio.run(snapshot.of_file(home.objects)))


def _member(data: DataDir, path: Path) -> str:
    return path.relative_to(data.root).as_posix()

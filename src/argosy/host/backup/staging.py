"""A second, complete data directory beside the first, and the swap of the two.

`restoring` fills it while the old data stays untouched; a marker then says that it is complete, and from there
on the swap only goes forward: after a crash `finish_interrupted` ends it. The old data goes last.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from argosy.host.paths import DataDir
from argosy.host.postgres.location import locate, remove
from argosy.host.postgres.process import stop_leftovers

_CLUSTERS = "clusters"
PARTS = ("postgres", "secrets", "anchors", "settings.yaml", "git", _CLUSTERS)
_MARKER = "complete.json"


def stage_of(data: DataDir) -> DataDir:
    return DataDir(data.root / "restoring")


def scratch_of(data: DataDir) -> DataDir:
    """The copy on which `rehearsal` works."""
    return DataDir(data.root / "rehearsal")


def _aside(data: DataDir) -> DataDir:
    return DataDir(data.root / "replaced")


def wipe(data: DataDir) -> None:
    """A staged directory with all it may have: a server still running, a cluster elsewhere."""
    if not data.root.exists():
        return
    if os.path.lexists(data.postgres):
        stop_leftovers(data, lambda _: None)
        remove(data)
    shutil.rmtree(data.root)


def swap_in(data: DataDir) -> None:
    """The staged directory is complete: it becomes the installation, and the old one is removed."""
    stage = stage_of(data)
    sockets = locate(stage).sockets
    if sockets.exists():
        shutil.rmtree(sockets)  # a fallback folder is named after the path, which now changes
    brought = [name for name in PARTS if os.path.lexists(stage.root / name)]
    _write_marker(stage.root, brought)
    _swap(data, brought)


def finish_interrupted(data: DataDir) -> bool:
    """Whether there was something to finish or to clear away. Call it with the supervisor's lock held, before
    anything starts."""
    marker = stage_of(data).root / _MARKER
    if marker.is_file():
        _swap(data, msgspec.json.decode(marker.read_bytes(), type=list[str]))
        return True
    left = [each for each in (stage_of(data), _aside(data), scratch_of(data)) if each.root.exists()]
    for each in left:
        wipe(each)
    return bool(left)


def _swap(data: DataDir, brought: Sequence[str]) -> None:
    """Each step can be repeated: what has moved is not there to be moved again. What is not brought goes all the same; only
    clusters stay, because a backup without any folder of them is from before they were in backups."""
    stage, aside = stage_of(data).root, _aside(data).root
    aside.mkdir(mode=0o700, exist_ok=True)
    for name in PARTS:
        if name == _CLUSTERS and name not in brought:
            continue
        arrived = name in brought and not os.path.lexists(stage / name)
        if not arrived and os.path.lexists(data.root / name):
            (data.root / name).rename(aside / name)
        if not arrived and name in brought:
            (stage / name).rename(data.root / name)
    _sync(data.root)
    wipe(stage_of(data))
    wipe(_aside(data))


def _write_marker(stage: Path, brought: Sequence[str]) -> None:
    draft = stage / f"{_MARKER}.new"
    with draft.open("wb") as stream:
        stream.write(msgspec.json.encode(brought))
        stream.flush()
        os.fsync(stream.fileno())
    _sync(stage)
    draft.rename(stage / _MARKER)
    _sync(stage)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

"""Can an installation live there?"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from argosy.host.lifecycle import datadir
from argosy.host.lifecycle.failures import REFUSED, exit_code
from argosy.host.paths import DataDir
from argosy.host.supervisor.failure import three_lines
from argosy.kit.errors import ArgosyError, Forbidden, Unavailable


def test_a_new_place_is_made_private(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "a" / "b")
    datadir.prepare(data)
    assert data.secrets.is_dir()
    assert data.root.stat().st_mode & 0o777 == 0o700


def test_an_open_folder_is_closed(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    datadir.prepare(DataDir(tmp_path))
    assert tmp_path.stat().st_mode & 0o027 == 0


def test_a_place_that_cannot_be_written_is_told_in_three_lines(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable) as caught:
        datadir.prepare(DataDir(tmp_path / "file" / "data"))
    lines = three_lines(caught.value).splitlines()
    assert len(lines) == 3 and str(tmp_path / "file") in lines[1] and "--data-dir" in lines[2]


def test_a_full_disk_is_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = shutil.disk_usage(tmp_path)._replace(free=299 * 2**20)
    monkeypatch.setattr(datadir.shutil, "disk_usage", lambda _: full)
    with pytest.raises(Unavailable, match="299 MB free, 300 MB needed"):
        datadir.prepare(DataDir(tmp_path))


def test_the_folder_of_another_user_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.geteuid()
    monkeypatch.setattr(datadir.os, "geteuid", lambda: real + 4711)
    with pytest.raises(Forbidden) as caught:
        datadir.prepare(DataDir(tmp_path))
    assert exit_code(caught.value) == REFUSED
    assert isinstance(caught.value, ArgosyError) and f"uid {real + 4711}" in caught.value.message
    assert list(tmp_path.iterdir()) == []

"""The unit that systemd reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.host.lifecycle import service
from argosy.host.paths import DataDir


def test_a_unit_starts_up_in_the_foreground_and_tells_when_it_is_ready() -> None:
    text = service.unit("/opt/argosy/bin/python", Path("/var/lib/argosy"), "system")
    assert "ExecStart=/opt/argosy/bin/python -m argosy.host up --data-dir /var/lib/argosy\n" in text
    assert "Type=notify\n" in text and "KillMode=mixed\n" in text
    assert "WantedBy=multi-user.target\n" in text
    assert "WantedBy=default.target\n" in service.unit("python", Path("/d"), "user")


@pytest.mark.parametrize(
    ("folder", "written"),
    [("/my data", '"/my data"'), ("/100%", "/100%%"), ("/$HOME", "/$$HOME"), ('/a"b', '"/a\\"b"')],
)
def test_no_path_can_change_the_command(folder: str, written: str) -> None:
    assert f"--data-dir {written}\n" in service.unit("python", Path(folder), "user")


def test_without_systemd_the_unit_is_shown_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert service.install(DataDir(tmp_path / "data"), "user") == 1
    assert "[Service]" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_removing_what_is_not_there_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert service.uninstall("user") == 0
    assert "not installed" in capsys.readouterr().out

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


def test_what_up_reads_from_the_environment_goes_along_and_the_command_lines_own_does_not() -> None:
    there = {
        "ARGOSY_AUDIT_DATABASE_URL": "postgresql://u:p@db/x",
        "ARGOSY_UP_PORT": "8443",
        "ARGOSY_DATA_DIR": "/elsewhere",
        "ARGOSY_API_KEY": "argk_secret",
        "PATH": "/bin",
    }

    assert service.carried(there) == {
        "ARGOSY_AUDIT_DATABASE_URL": "postgresql://u:p@db/x",
        "ARGOSY_UP_PORT": "8443",
    }
    text = service.unit("python", Path("/d"), "user", Path("/h/.config/100%/argosy.env"))
    assert "EnvironmentFile=/h/.config/100%%/argosy.env\n" in text
    assert "EnvironmentFile" not in service.unit("python", Path("/d"), "user")


def test_no_value_can_end_its_line_in_the_environment_file() -> None:
    text = service.environment_file({"ARGOSY_X": 'a"b\\c$d`e f\ng#h;i%j'})
    assert text == 'ARGOSY_X="a\\"b\\\\c\\$d\\`e f\ng#h;i%j"\n'


def test_secrets_of_the_environment_are_for_the_owner_alone_and_go_with_the_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ARGOSY_AUDIT_DATABASE_URL", "postgresql://u:hunter2@db/x")
    monkeypatch.setattr(service, "_has_systemd", lambda: True)
    monkeypatch.setattr(service, "_systemctl", lambda scope, *arguments: None)
    units = tmp_path / ".config/systemd/user"

    assert service.install(DataDir(tmp_path / "data"), "user") == 0

    said = capsys.readouterr().out
    assert "ARGOSY_AUDIT_DATABASE_URL" in said and "hunter2" not in said
    assert (units / "argosy.env").stat().st_mode & 0o777 == 0o600
    assert "hunter2" in (units / "argosy.env").read_text()
    assert f"EnvironmentFile={units}/argosy.env\n" in (units / "argosy.service").read_text()
    assert service.uninstall("user") == 0
    assert list(units.iterdir()) == []


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

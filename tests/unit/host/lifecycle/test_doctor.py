"""What this machine has, what stands in for what it lacks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.host.lifecycle import doctor, listener
from argosy.host.paths import DataDir


def checks(data: DataDir, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, str]]]:
    code = doctor.run(data, as_json=True)
    return code, {check["name"]: check for check in json.loads(capsys.readouterr().out)}


def test_every_lack_comes_with_a_cure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, found = checks(DataDir(tmp_path), capsys)
    assert set(found) == {
        "python", "postgres", "git", "disk", "memory", "data dir", "port", "sandbox", "containers", "helm",
        "rendering", "systemd",
    }  # fmt: skip
    assert all(check["fix"] for check in found.values() if check["result"] == "missing")


def test_without_git_the_answer_is_no(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, found = checks(DataDir(tmp_path), capsys)
    assert code == 1
    assert found["git"] == {
        "name": "git", "result": "missing", "detail": "not found", "fix": "apt install git"
    }  # fmt: skip
    assert found["containers"]["result"] == "fallback"


def test_a_taken_port_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with listener.bind("127.0.0.1", 0) as other:
        monkeypatch.setenv("ARGOSY_UP_PORT", str(listener.port_of(other)))
        _, found = checks(DataDir(tmp_path), capsys)
    assert found["port"]["result"] == "missing" and "taken" in found["port"]["detail"]


def test_the_text_shows_a_line_for_each_and_the_fix_below() -> None:
    shown = doctor.text([doctor.Check("git", "missing", "not found", "apt install git")])
    assert shown.splitlines()[0].startswith("!! git")
    assert shown.splitlines()[1].endswith("to change that: apt install git")

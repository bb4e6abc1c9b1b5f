"""The command line: what it understands, and the exit codes it ends with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from argosy.host.__main__ import main, parser
from argosy.host.options import Plan
from argosy.kit.errors import Unavailable


def no_plan() -> Plan:
    raise Unavailable("no plan here", cure="none")


@pytest.mark.parametrize(
    "words",
    [
        ["up", "--port", "x"],
        ["up", "--tls-self-signed", "--no-tls"],
        ["admin"],
        ["upgrade"],
        ["service", "install", "--user", "--system"],
        ["fly"],
        [],
    ],
)
def test_wrong_usage_ends_with_two(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(words)
    assert caught.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["error", "do"]


@pytest.mark.parametrize("verb", ["up", "down", "status", "reset", "backup", "serve"])
def test_each_help_documents_the_exit_codes(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args([verb, "--help"])
    assert caught.value.code == 0
    assert "5  refused for safety" in capsys.readouterr().out


@pytest.mark.parametrize("verb", ["down", "status", "reset"])
def test_what_is_not_running_ends_with_three(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([verb, "--data-dir", str(tmp_path / "none")]) == 3
    assert len(capsys.readouterr().err.splitlines()) <= 3


def test_a_bad_choice_ends_with_two_in_three_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["up", "--data-dir", str(tmp_path / "d"), "--port", "70000"], load=no_plan) == 2
    assert capsys.readouterr().err.startswith("error: --port 70000")
    assert not (tmp_path / "d").exists()


def test_a_file_that_cannot_be_read_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "settings.yaml").mkdir()
    assert main(["up", "--data-dir", str(tmp_path)], load=no_plan) == 1
    told = capsys.readouterr().err
    assert "settings.yaml" in told and len(told.splitlines()) == 3


ASK = [sys.executable, "-m", "argosy.host"]


@pytest.mark.parametrize("words", [["doctor"], ["serve", "--list"], ["__complete", "up"]])
def test_a_reader_that_has_enough_is_no_failure(words: list[str], tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environ = {**os.environ, "ARGOSY_DATA_DIR": str(tmp_path / "none")}
    done = subprocess.run([*ASK, *words], stdout=writing, stderr=subprocess.PIPE, env=environ, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_reader_that_has_enough_hides_no_failure(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    asked = [*ASK, "status", "--data-dir", str(tmp_path / "none")]
    done = subprocess.run(asked, stdout=writing, stderr=subprocess.PIPE, env=environ, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (3, b"")


def test_a_full_disk_behind_the_answer_is_told_as_that(tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*ASK, "serve", "--list"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"No space left" in done.stderr and b"make room" in done.stderr


def test_relative_paths_are_settled_before_the_daemon_moves_away() -> None:
    asked = parser().parse_args(["up", "--tls-cert", "a.pem", "--data-dir", "~/x"])
    assert asked.tls_cert.is_absolute() and asked.data_dir == Path.home() / "x"


def test_help_and_status_import_nothing_heavy(tmp_path: Path) -> None:
    program = (
        "import sys; from argosy.host.__main__ import main; main(['status', '--data-dir', sys.argv[1]]);"
        "print(sorted({'asyncio', 'ssl', 'yaml', 'structlog', 'cryptography', 'asyncpg'} & set(sys.modules)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert told.stdout.splitlines()[-1] == "[]"

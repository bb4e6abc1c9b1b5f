"""Logs of bounded size, in which no line is cut or lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from argosy.host.supervisor.logs import LogFile, Pump


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def piped(log: LogFile) -> tuple[Pump, int]:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    return Pump(reading, log), writing


def test_a_full_log_moves_aside_and_only_five_are_kept(folder: Path) -> None:
    log = LogFile(folder / "core.log", size=100, kept=5)
    for number in range(70):
        log.append(f"line {number:04}\n".encode())  # ten to a file
    log.close()
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["core.log", *(f"core.log.{n}" for n in range(1, 5))]
    newest_first = [(folder / name).read_text().splitlines() for name in names]
    kept = [line for lines in reversed(newest_first) for line in lines]
    assert kept == [f"line {number:04}" for number in range(20, 70)]


def test_a_log_goes_on_where_it_ended(folder: Path) -> None:
    for text in ("first\n", "second\n"):
        log = LogFile(folder / "core.log", size=100)
        log.write(text)
        log.close()
    assert (folder / "core.log").read_text() == "first\nsecond\n"
    assert (folder / "core.log").stat().st_mode & 0o777 == 0o600


def test_a_full_disk_is_noted_when_there_is_room_again(folder: Path) -> None:
    log = LogFile(folder / "core.log")
    log.close()
    log.path = Path("/dev/full")
    log.append(b"lost!\n")
    log.close()
    log.path = folder / "core.log"
    log.append(b"here again\n")
    log.close()
    lost, again = (folder / "core.log").read_text().splitlines()
    assert "6 bytes" in lost and again == "here again"


def test_lines_that_arrive_in_pieces_are_written_whole(folder: Path) -> None:
    log = LogFile(folder / "core.log", size=12)
    pump, writing = piped(log)
    for piece in (b"one l", b"ine\nanother", b" line\n"):
        os.write(writing, piece)
        assert pump.read()
    os.close(writing)
    assert not pump.read()
    assert (folder / "core.log.1").read_text() == "one line\n"
    assert (folder / "core.log").read_text() == "another line\n"
    pump.close()
    log.close()


def test_a_last_line_without_end_is_kept_and_remembered(folder: Path) -> None:
    log = LogFile(folder / "core.log")
    pump, writing = piped(log)
    os.write(writing, b"Traceback\nValueError: no\n\nlast")
    os.close(writing)
    pump.close()
    log.close()
    assert pump.last_line == "last"
    assert (folder / "core.log").read_text().endswith("\nlast\n")


def test_a_line_without_end_does_not_grow_in_memory(folder: Path) -> None:
    log = LogFile(folder / "core.log")
    pump, writing = piped(log)
    for _ in range(20):
        os.write(writing, b"x" * 32768)
        pump.read()
    assert (folder / "core.log").stat().st_size > 250_000
    os.close(writing)
    pump.close()
    log.close()


def test_a_closed_pump_is_not_read_again(folder: Path) -> None:
    log = LogFile(folder / "core.log")
    pump, writing = piped(log)
    os.close(writing)
    pump.close()
    pump.drain()
    log.close()

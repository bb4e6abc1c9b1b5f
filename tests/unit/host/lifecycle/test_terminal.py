"""How a start looks, and where its secrets do not go."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import pytest

from argosy.host.lifecycle import terminal as module
from argosy.host.lifecycle.terminal import Terminal, tell_systemd

FACTS = {"url": "http://x", "sign_in_link": "http://x/s", "email": "a@x", "password": "hunter2"}


def test_plain_lines_and_a_card_when_it_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(Path("/data"), as_json=False, foreground=True)
    terminal.status("db", "recovering")
    terminal.ready("db", 1.234)
    terminal.all_ready(FACTS, 2.5)
    out = capfd.readouterr().out
    assert "  db: recovering\n" in out and "1.23 s" in out and "Ready after 2.50 s" in out
    assert all(value in out for value in FACTS.values()) and "Ctrl-C" in out
    assert "\x1b" not in out


def test_the_card_says_what_does_not_work_yet(capfd: pytest.CaptureFixture[str]) -> None:
    waits = "nobody can sign in yet: the database of identity cannot be reached"
    Terminal(Path("/data"), as_json=False, foreground=False).all_ready(
        {"url": "http://x", "degraded": waits}, 1
    )
    assert f"Degraded   {waits}\n" in capfd.readouterr().out


def test_the_card_tells_the_port_behind_a_public_url(capfd: pytest.CaptureFixture[str]) -> None:
    facts = {"url": "https://a.example", "listens": "127.0.0.1:43210"}
    Terminal(Path("/data"), as_json=False, foreground=True).all_ready(facts, 1)
    assert "  Listens    127.0.0.1:43210   (" in capfd.readouterr().out


def test_json_is_all_that_stdout_carries(capfd: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(Path("/data"), as_json=True, foreground=False)
    terminal.ready("db", 1.0)
    terminal.all_ready(FACTS, 2.5)
    out, err = capfd.readouterr()
    assert json.loads(out) == {**FACTS, "data_dir": "/data"}
    assert "Ready after" in err and "hunter2" not in err


def test_a_journal_does_not_get_the_secrets(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = os.fstat(1)
    monkeypatch.setenv("JOURNAL_STREAM", f"{facts.st_dev}:{facts.st_ino}")
    Terminal(Path("/data"), as_json=False, foreground=True).all_ready({**FACTS, "notice": "a new one"}, 2.5)
    out = capfd.readouterr().out
    assert "http://x\n" in out and "reset-password" in out and "a new one" not in out
    assert "hunter2" not in out and "http://x/s" not in out


def test_systemd_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        tell_systemd("READY=1")
        tell_systemd("READY=1")
        assert systemd.recv(100) == b"READY=1"
        systemd.setblocking(False)
        with pytest.raises(BlockingIOError):
            systemd.recv(100)


def test_a_pipe_that_nobody_reads_does_not_stop_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with open(writing, "w", buffering=1) as stalled:
        monkeypatch.setattr(sys, "stdout", stalled)
        monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.0)
        terminal = Terminal(Path("/data"), as_json=False, foreground=True)
        for _ in range(2000):
            terminal.note("x" * 100)
    os.close(reading)

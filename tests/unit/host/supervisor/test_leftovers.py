"""What a killed supervisor left behind is ended, gently first."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator

import pytest

from argosy.host.supervisor import leftovers, procfs
from argosy.host.supervisor.state import ProcessState, State

LONG_AGO = "2020-01-01T00:00:00Z"


@pytest.fixture
def stubborn() -> Iterator[subprocess.Popen[str]]:
    """Ignores SIGTERM, ends on SIGINT: a shell cannot trap what it was born to ignore, as in the background of another."""
    script = "trap '' TERM; trap 'exit 7' INT; echo go; while :; do sleep 0.05; done"
    born = ["env", "--default-signal=INT", "sh", "-c", script]
    with subprocess.Popen(born, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "go\n"
        yield process
        process.kill()


def left(process: subprocess.Popen[str], stop_signal: int, mark: str = "") -> State:
    known = ProcessState(
        pid=process.pid,
        mark=mark or procfs.start_mark(process.pid),
        state="ready",
        restarts=0,
        since=LONG_AGO,
        stop_signal=stop_signal,
    )
    return State(pid=1, mark="0", url="", version="", since=LONG_AGO, data_dir="", processes={"db": known})


def test_each_gets_its_own_stop_signal(stubborn: subprocess.Popen[str]) -> None:
    said: list[str] = []
    assert leftovers.end(left(stubborn, signal.SIGINT), said.append) == ["db"]
    assert stubborn.wait() == 7
    assert f"db (pid {stubborn.pid})" in said[0]


def test_what_does_not_listen_is_killed(
    stubborn: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "GRACE_SECONDS", 0.1)
    assert leftovers.end(left(stubborn, signal.SIGTERM), lambda _: None) == ["db"]
    assert stubborn.wait() == -signal.SIGKILL


def test_a_stranger_with_the_same_pid_is_left_alone(stubborn: subprocess.Popen[str]) -> None:
    assert leftovers.end(left(stubborn, signal.SIGKILL, mark="1"), lambda _: None) == []
    assert stubborn.poll() is None


def test_without_a_state_there_is_nothing_to_do() -> None:
    assert leftovers.end(None, lambda _: None) == []

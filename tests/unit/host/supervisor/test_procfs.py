"""What the kernel tells about processes."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator

import pytest

from argosy.host.supervisor import procfs


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sh", "-c", "sleep 60 & wait"]) as process:
        yield process
        for pid in reversed(procfs.family(process.pid)):
            os.kill(pid, 9)


def test_a_process_is_the_same_only_with_its_own_mark(sleeper: subprocess.Popen[bytes]) -> None:
    mark = procfs.start_mark(sleeper.pid)
    assert procfs.is_same(sleeper.pid, mark)
    assert not procfs.is_same(sleeper.pid, "1")
    assert not procfs.is_same(0, "")


def test_a_zombie_is_gone() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert procfs.start_mark(child.pid) == ""


def test_a_family_has_its_descendants_and_weighs_something() -> None:
    pid = os.getpid()
    with subprocess.Popen(["sleep", "60"]) as child:
        assert procfs.family(pid)[0] == pid and child.pid in procfs.family(pid)
        child.kill()
    assert procfs.pss_bytes(pid) > 1_000_000
    assert procfs.pss_bytes(2**22 + 1) == 0


def test_the_holder_of_a_port_is_found() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert f"pid {os.getpid()}" in procfs.port_holder(port)
    assert procfs.port_holder(port) == ""

"""The real server: that the recordings are what it says today, and that nothing of it stays behind."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import needs
from tests.conformance.kube import differences, replay, scenario, transcripts
from tools import oracle, oracle_build, oracle_cluster, oracle_tables
from tools.steps import ROOT

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def built() -> None:
    if oracle_build.missing():
        needs.absent("the oracle is not built on this machine: make oracle")


@pytest.mark.timeout(600)
def test_the_recordings_are_what_the_real_server_says() -> None:
    wrong: list[str] = []

    def judge(played: replay.Played) -> None:
        wrong.extend(differences.judged(played.scenario, transcripts.normalised(played), ()))

    with oracle_cluster.running(durable=False) as real:
        asyncio.run(replay.play_all(oracle.server(real.kubeconfig), scenario.load(), judge, wrong.append))

    assert wrong == []


def test_the_controller_manager_works_beside_it() -> None:
    with oracle_cluster.running(controllers=True, durable=False) as real:
        kubectl = [str(oracle_build.binary("kubectl")), "--kubeconfig", str(real.kubeconfig)]
        wait = ["wait", "--for=create", "serviceaccount/default", "--timeout=60s"]
        done = subprocess.run([*kubectl, *wait], capture_output=True, text=True, check=False, timeout=90)

    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(900)
@pytest.mark.parametrize("table", oracle_tables.tables(), ids=lambda table: table.program)
def test_what_is_known_of_gos_types_is_what_they_are(table: oracle_tables.Table) -> None:
    assert oracle_tables.made(table) == table.file.read_bytes()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_stays_behind(how: signal.Signals) -> None:
    command = [sys.executable, "-m", "tools.oracle", "run", "--fast"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        folder = next(
            Path(line.partition("=")[2].strip()).parent for line in running.stdout if "KUBECONFIG=" in line
        )
        assert list(programs_in(folder))

        running.send_signal(how)
        running.wait(30)

    until = time.monotonic() + 30
    while (folder.exists() or list(programs_in(folder))) and time.monotonic() < until:
        time.sleep(0.05)
    assert not folder.exists()
    assert not list(programs_in(folder))


def programs_in(folder: Path) -> Iterator[int]:
    """Processes whose command line names the folder."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder) in path.read_bytes().decode(errors="replace"):
                yield int(path.parent.name)
        except (FileNotFoundError, ProcessLookupError):
            continue

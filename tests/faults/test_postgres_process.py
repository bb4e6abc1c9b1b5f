"""kill -9 of the server, of its supervisor, of single backends: what was committed is there at the next start."""

from __future__ import annotations

import asyncio
import os
import pwd
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import asyncpg
import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres.location import locate
from argosy.host.postgres.orphans import running_on
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.process import postgres_command, probe, stop_leftovers
from argosy.host.postgres.roles import connected, dsn, ensure_databases, local_dsn
from argosy.host.postgres.temporary import temporarily_running
from tests.supervised_postgres import Supervised, short_place

_HOLD = """
import asyncio, sys, asyncpg
async def hold():
    link = await asyncpg.connect(sys.argv[1])
    print(link.get_server_pid(), flush=True)
    await asyncio.sleep(60)
asyncio.run(hold())
"""


@pytest.fixture
def fresh() -> Iterator[Supervised]:
    """Nothing there yet."""
    with short_place() as place:
        installation = Supervised(DataDir(place / "argosy"))
        yield installation
        installation.kill()


@pytest.fixture(scope="session")
def template() -> Iterator[DataDir]:
    """A stopped installation to copy: making a cluster takes longer than most of these tests."""
    with short_place() as place, Supervised(DataDir(place / "argosy")) as installation:
        asyncio.run(ensure_databases(installation.data, ["identity"]))
        installation.stop()
        yield installation.data


@pytest.fixture
def installed(fresh: Supervised, template: DataDir) -> Supervised:
    subprocess.run(["cp", "-a", "--", str(template.root), str(fresh.data.root)], check=True, timeout=60)
    return fresh


class Orphan:
    """A server whose supervisor is gone; somebody collects it when it ends, as init does."""

    def __init__(self, installed: Supervised) -> None:
        self._server = installed.forget()
        self.pid = self._server.pid
        self._thread = threading.Thread(target=self._server.wait)
        self._thread.start()

    def exit_code(self) -> int:
        self._thread.join(30)
        return self._server.returncode


def await_end_of_all_but(frozen: int, cluster: Path) -> None:
    """A server's other processes notice its death by themselves, each in its own time."""
    for pid in set(running_on(cluster)) - {frozen}:
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(pid)
            assert select.select([descriptor], [], [], 30)[0], f"{pid} outlives its server"
            os.close(descriptor)
    assert running_on(cluster) == [frozen]


def write_rows(installed: Supervised, *numbers: int) -> None:
    asyncio.run(_write_rows(installed, numbers))


async def _write_rows(installed: Supervised, numbers: tuple[int, ...]) -> None:
    async with connected(dsn(installed.data, "identity")) as identity:
        await identity.execute("CREATE TABLE IF NOT EXISTS rows (id int)")
        await identity.executemany("INSERT INTO rows VALUES ($1)", [(number,) for number in numbers])


def rows(installed: Supervised) -> list[int]:
    return asyncio.run(_rows(installed))


async def _rows(installed: Supervised) -> list[int]:
    async with connected(dsn(installed.data, "identity")) as identity:
        return [row["id"] for row in await identity.fetch("SELECT id FROM rows ORDER BY id")]


def prepared(installed: Supervised) -> None:
    installed.start()
    asyncio.run(ensure_databases(installed.data, ["identity"]))


def test_a_first_start_prepares_everything_and_a_second_nothing(fresh: Supervised) -> None:
    prepared(fresh)
    write_rows(fresh, 1)
    fresh.stop()
    prepared(fresh)

    assert rows(fresh) == [1]
    assert fresh.said == ["creating the database cluster"]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_as_root_a_uid_without_a_name_can_own_the_cluster(fresh: Supervised) -> None:
    """A volume that was made in another container, or a container without useradd."""
    fresh.data.root.mkdir()
    fresh.data.postgres.mkdir(mode=0o700)
    os.chown(fresh.data.postgres, 61500, 61500)

    prepared(fresh)
    write_rows(fresh, 1)

    assert rows(fresh) == [1]
    assert Path(f"/proc/{fresh.pid}").stat().st_uid == 61500


def test_what_was_committed_survives_a_kill_of_the_server(installed: Supervised) -> None:
    prepared(installed)
    write_rows(installed, 1, 2, 3)

    installed.kill()
    installed.start()

    assert rows(installed) == [1, 2, 3]
    assert any(line.startswith("recovering after a crash") for line in installed.said)


def test_an_orphan_of_a_killed_supervisor_is_stopped_cleanly_before_the_next_start(
    installed: Supervised,
) -> None:
    prepared(installed)
    write_rows(installed, 1)
    orphan = Orphan(installed)

    installed.start()

    assert orphan.exit_code() == 0
    assert any(f"pid {orphan.pid}" in line for line in installed.said)
    assert not any(line.startswith("recovering") for line in installed.said)
    assert rows(installed) == [1]


def test_a_backend_that_outlives_its_killed_server_is_ended_before_the_next_start(
    installed: Supervised,
) -> None:
    prepared(installed)
    write_rows(installed, 1)
    held = subprocess.Popen(
        [sys.executable, "-c", _HOLD, dsn(installed.data, "identity")], stdout=subprocess.PIPE, text=True
    )
    assert held.stdout is not None
    backend = int(held.stdout.readline())
    os.kill(backend, signal.SIGSTOP)  # it cannot notice that its server died
    installed.kill()
    held.kill()
    held.communicate()
    await_end_of_all_but(backend, locate(installed.data).cluster)

    installed.start()

    assert backend not in running_on(locate(installed.data).cluster)
    assert rows(installed) == [1]


def test_a_stale_pid_file_whose_pid_is_now_somebody_elses_harms_nobody(installed: Supervised) -> None:
    prepared(installed)
    pid_file = locate(installed.data).cluster / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    installed.kill()
    with subprocess.Popen(["sleep", "60"]) as bystander:
        pid_file.write_text("\n".join([str(bystander.pid), *lines[1:]]) + "\n")

        installed.start()

        assert bystander.poll() is None
        bystander.kill()


@pytest.mark.parametrize("content", ["", "not a number\n", "999999999\n"])
def test_a_damaged_pid_file_does_not_prevent_a_start(installed: Supervised, content: str) -> None:
    prepared(installed)
    installed.stop()
    (locate(installed.data).cluster / "postmaster.pid").write_text(content)

    installed.start()

    assert probe(installed.data) == ""


def test_down_without_a_supervisor_stops_what_is_left(installed: Supervised) -> None:
    prepared(installed)
    orphan = Orphan(installed)

    stop_leftovers(installed.data, installed.said.append)

    assert orphan.exit_code() == 0
    assert running_on(locate(installed.data).cluster) == []


def test_the_probe_says_what_it_waits_for_and_never_a_password(installed: Supervised) -> None:
    assert probe(installed.data) == "waiting for PostgreSQL to open its socket"

    installed.start()
    assert probe(installed.data) == ""

    os.kill(installed.pid, signal.SIGSTOP)
    try:
        stopped = probe(installed.data)
    finally:
        os.kill(installed.pid, signal.SIGCONT)
    assert stopped.startswith("waiting for PostgreSQL")
    assert (installed.data.secrets / f"db-{ADMIN}").read_text().strip() not in stopped


def test_the_probe_tells_the_progress_of_a_long_recovery(installed: Supervised) -> None:
    """The server answers "starting up" while its log tells how far it is: here both are given."""
    from argosy.host.postgres.process import _recovery_progress

    installed.data.create()
    (installed.data.logs / "postgres.log").write_text(
        "2026-01-01 00:00:00 UTC [7] LOG:  redo in progress, elapsed time: 10.00 s, current LSN: 0/3000060\n"
    )

    assert _recovery_progress(installed.data) == (
        "recovering after a crash: redo in progress, elapsed time: 10.00 s, current LSN: 0/3000060"
    )


def test_no_password_is_in_the_servers_log_or_arguments(installed: Supervised) -> None:
    prepared(installed)
    with pytest.raises(asyncpg.InvalidPasswordError):
        asyncio.run(asyncpg.connect(local_dsn(installed.data, ADMIN).replace("@/", "x@/")))

    told = (installed.data.logs / "postgres.log").read_text()
    told += Path(f"/proc/{installed.pid}/cmdline").read_text()
    for secret in installed.data.secrets.iterdir():
        assert secret.read_text().strip() not in told


def test_a_lost_password_file_is_made_anew_at_the_next_start(installed: Supervised) -> None:
    prepared(installed)
    (installed.data.secrets / "db-identity").unlink()

    asyncio.run(ensure_databases(installed.data, ["identity"]))

    write_rows(installed, 1)


def test_a_changed_superuser_password_file_is_named_by_the_probe(installed: Supervised) -> None:
    installed.start()
    secret = installed.data.secrets / f"db-{ADMIN}"
    secret.write_text("another\n")

    assert str(secret) in probe(installed.data)


def test_a_job_uses_the_running_server_or_one_of_its_own(installed: Supervised) -> None:
    _job(installed)
    assert running_on(locate(installed.data).cluster) == []

    installed.start()
    running = installed.pid
    _job(installed)
    assert installed.pid == running
    assert probe(installed.data) == ""


def _job(installed: Supervised) -> None:
    with temporarily_running(installed.data, installed.said.append):
        assert probe(installed.data) == ""


def test_idle_it_takes_little_memory(installed: Supervised) -> None:
    """A fact about the settings, not a timing: 45 MB of proportional memory for the whole family."""
    if not Path("/proc/self/smaps_rollup").exists():
        pytest.skip("the kernel does not tell proportional memory")
    installed.start()
    family = running_on(locate(installed.data).cluster)

    assert 0 < sum(map(_pss_kilobytes, family)) <= 45 * 1024


def _pss_kilobytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):  # the probe's own backend, on its way out
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_as_root_postgresql_runs_as_a_user_of_its_own(installed: Supervised) -> None:
    installed.start()

    command = postgres_command(installed.data)
    assert command.uid is not None and command.uid != 0
    assert Path(f"/proc/{installed.pid}").stat().st_uid == command.uid


@pytest.mark.timeout(200)
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_all_of_this_also_holds_for_a_user_who_is_not_root() -> None:
    root = Path(__file__).parents[2]
    nobody = pwd.getpwnam("nobody")
    python = _python_for_everybody()
    with tempfile.TemporaryDirectory(prefix="a-") as home:
        os.chown(home, nobody.pw_uid, nobody.pw_gid)
        environment = {
            "PATH": os.defpath,
            "HOME": home,
            "TMPDIR": home,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join([str(root), str(root / "src"), *filter(None, sys.path)]),
        }
        suites = (
            "tests/faults/test_postgres_process.py",
            "tests/unit/host/postgres/test_cluster.py",
            "tests/unit/host/backup/test_backup.py::test_backup_reset_restore_gives_the_same",
            "tests/unit/host/backup/test_rehearsal.py::test_a_stopped_installation_can_be_rehearsed_too",
        )
        done = subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suites],
            cwd=root, env=environment, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip

    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def _python_for_everybody() -> str:
    """Root's own Python may lie under /root; then Debian's, if it is of the same version."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (Path(sys.executable).resolve(), Path("/usr/bin") / version):
        reachable = all(folder.stat().st_mode & 0o001 for folder in candidate.parents if folder.exists())
        if candidate.exists() and reachable and Path(__file__).parent.stat().st_mode & 0o001:
            return str(candidate)
    pytest.skip(f"no {version} that another user can run")

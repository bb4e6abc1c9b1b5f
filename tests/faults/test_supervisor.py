"""The supervisor and the verbs with real processes: order, restarts, kills, and what a person is told."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from argosy.host.backup.staging import stage_of
from argosy.host.supervisor import procfs, state
from tests.faults.toy_platform import PASSWORD, Platform, is_gone


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    made = Platform(tmp_path / "data")
    yield made
    made.stop()


def served_by(url: str) -> int:
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        return int(connection.makefile().read())


def test_processes_start_after_those_they_need_and_stop_in_reverse(platform: Platform) -> None:
    with platform.up().ready() as up:
        up.signal(signal.SIGTERM)
        code, _ = up.end()
    assert code == 0
    order = [line.split()[0] for line in up.lines if " ready " in line]
    assert order == ["db", "core", "edge"]
    assert [line.strip() for line in up.lines if line.endswith("stopped")] == [
        "edge stopped", "core stopped", "db stopped"
    ]  # fmt: skip
    assert platform.database_ended_well()
    assert not platform.data.state.exists()


def test_a_start_says_what_it_waits_for_and_how_to_sign_in(platform: Platform) -> None:
    with platform.up().ready() as up:
        said = "\n".join(up.lines)
        assert "db: recovering" in said
        assert platform.status()["url"] in said
        assert PASSWORD in said and "http://toy/s" in said and "admin@toy" in said


def test_a_killed_process_is_restarted_and_the_others_are_left_alone(platform: Platform) -> None:
    with platform.up().ready() as up:
        before = platform.pids()
        os.kill(before["core"], signal.SIGKILL)
        assert "killed by SIGKILL" in up.until("core ended")
        up.until("core       ready")
        after = platform.status()
    pids = {process["name"]: process["pid"] for process in after["processes"]}
    assert pids["core"] != before["core"]
    assert (pids["db"], pids["edge"]) == (before["db"], before["edge"])
    assert {p["name"]: p["restarts"] for p in after["processes"]} == {"db": 0, "core": 1, "edge": 0}


def test_a_restart_waits_for_what_it_needs(platform: Platform) -> None:
    with platform.up().ready() as up:
        before = platform.pids()
        os.kill(before["db"], signal.SIGKILL)
        os.kill(before["core"], signal.SIGKILL)
        up.until("core       ready")
        again = [line.split()[0] for line in up.lines if " ready " in line][3:]
    assert again == ["db", "core"]


def test_what_a_killed_process_had_started_ends_with_it(platform: Platform) -> None:
    with platform.up(plan="with_helper").ready() as up:
        helper = int(platform.log("core").split()[1])
        os.kill(platform.pids()["core"], signal.SIGKILL)
        assert is_gone(helper)
        up.until("core ended")


def test_the_port_answers_through_a_restart_of_the_edge(platform: Platform) -> None:
    with platform.up().ready():
        url = platform.status()["url"]
        first = served_by(url)
        os.kill(first, signal.SIGKILL)
        assert is_gone(first)
        assert served_by(url) != first


def test_a_child_holds_only_its_own_descriptors(platform: Platform) -> None:
    with platform.up().ready():
        descriptors = json.loads(platform.log("core").split(maxsplit=1)[1])
    # 0, 1, 2, the pipe to the supervisor, and the one that lists the folder
    assert len(descriptors) == 5, descriptors


def test_nothing_survives_a_killed_supervisor_and_the_next_start_succeeds(platform: Platform) -> None:
    with platform.up().ready() as up:
        pids = platform.pids()
        up.signal(signal.SIGKILL)
        assert [name for name, pid in pids.items() if not is_gone(pid)] == []
        up.end()
    assert platform.database_ended_well(), "the database was not killed, but told to shut down"
    assert platform.run("status").returncode == 3
    with platform.up().ready():
        assert platform.status()["running"]


def test_a_stale_state_file_never_points_at_a_stranger(platform: Platform) -> None:
    platform.data.create()
    stranger = state.ProcessState(
        pid=os.getpid(), mark="1", state="ready", restarts=0, since="2020-01-01T00:00:00Z", stop_signal=9
    )
    state.write(
        platform.data.state,
        state.State(
            pid=os.getpid(),
            mark="1",
            url="http://old",
            version="0",
            since="2020-01-01T00:00:00Z",
            data_dir="",
            processes={"core": stranger},
        ),
    )
    assert platform.run("status").returncode == 3
    assert platform.run("down").returncode == 3
    with platform.up().ready():
        assert platform.status()["url"] != "http://old"


def test_a_half_written_state_file_is_ignored(platform: Platform) -> None:
    platform.data.create()
    platform.data.state.write_text('{"pid": 1, "proc')
    with platform.up().ready():
        assert platform.status()["running"]


def test_a_second_up_names_the_url_of_the_first(platform: Platform) -> None:
    with platform.up().ready():
        url = platform.status()["url"]
        second = platform.run("up", "--port", "0")
    assert second.returncode == 4
    assert url in second.stderr and len(second.stderr.splitlines()) <= 3


def test_a_taken_port_is_known_at_once_and_its_holder_is_named(platform: Platform) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        refused = platform.run("up", "--port", str(port))
    assert refused.returncode == 1
    assert f"port {port} is taken" in refused.stderr and f"pid {os.getpid()}" in refused.stderr
    assert len(refused.stderr.splitlines()) == 3
    assert not (platform.data.logs / "db.log").exists(), "nothing was started"


def test_a_fatal_error_stops_everything_and_is_told_in_three_lines(platform: Platform) -> None:
    with platform.up(plan="fatal") as up:
        code, said = up.end()
    assert code == 1
    assert said.splitlines() == [
        "error: the toy has bad settings", "where: toy.yaml line 3", "do: correct it"
    ]  # fmt: skip
    assert platform.database_ended_well()
    assert platform.status()["processes"] == []


def test_a_program_that_is_not_there_is_fatal(platform: Platform) -> None:
    with platform.up(plan="missing_program") as up:
        code, said = up.end()
    assert code == 1
    assert "cannot run /nowhere/postgres" in said and len(said.splitlines()) <= 3


def test_a_process_that_never_starts_is_given_up_with_its_last_words(platform: Platform) -> None:
    begun = time.monotonic()
    with platform.up(plan="crashing") as up:
        code, said = up.end()
    assert code == 1
    assert [line.rsplit(" in ")[1] for line in up.lines if "starting again" in line] == [
        "0.2 s", "0.4 s", "0.8 s", "1.6 s"
    ]  # fmt: skip
    assert time.monotonic() - begun >= 3.0, "it did wait between the tries"
    assert "the toy is broken" in said and str(platform.data.logs / "core.log") in said
    assert len(said.splitlines()) == 3


def test_a_check_that_hangs_is_ended_and_asked_again(platform: Platform) -> None:
    with platform.up(plan="hanging_probe") as up:
        up.until("db: recovering")
        assert platform.status()["processes"][0]["state"] == "starting", "meanwhile it answers"
        assert "SIGALRM" in up.until("its check ended")
        up.until("Ready after")


def test_an_installation_may_lie_deep(platform: Platform) -> None:
    """Addresses of Unix sockets are short; paths are not."""
    deep = Platform(platform.data.root.joinpath(*["a-rather-long-name"] * 8))
    with deep.up().ready() as up:
        assert deep.status()["running"]
        assert deep.run("down").returncode == 0
        assert up.end()[0] == 0


def test_nonsense_on_the_control_socket_does_no_harm(platform: Platform) -> None:
    with platform.up().ready() as up:
        for words in (b"hello\n", b'{"do": "dance"}\n', b"{" * 5000, b"", b'{"do": "status"}'):
            with socket.socket(socket.AF_UNIX) as client, contextlib.chdir(platform.data.run):
                client.connect("control.sock")
                client.sendall(words)
                client.shutdown(socket.SHUT_WR)
                answer = client.makefile("rb").readline()
            assert answer == b"" or "not a request" in json.loads(answer)["error"]
        with socket.socket(socket.AF_UNIX) as silent, contextlib.chdir(platform.data.run):
            silent.connect("control.sock")
            assert platform.status()["running"]
            up.signal(signal.SIGTERM)
            assert up.end()[0] == 0


def test_last_words_are_not_lost(platform: Platform) -> None:
    with platform.up(plan="chatty").ready() as up:
        up.signal(signal.SIGINT)
        assert up.end()[0] == 0
    assert platform.log("core").splitlines() == [f"last words {n}" for n in range(20_000)]


def test_a_second_interrupt_hurries(platform: Platform) -> None:
    with platform.up(plan="stubborn").ready() as up:
        up.signal(signal.SIGINT)
        up.until("stopping core")
        up.signal(signal.SIGINT)
        code, _ = up.end()
    assert code == 0
    assert platform.database_ended_well(), "the database still had its time"


def test_detached_it_prints_one_json_object_when_all_is_ready(platform: Platform) -> None:
    up = platform.run("up", "--port", "0", "--detach", "--output", "json")
    assert up.returncode == 0, up.stderr
    told = json.loads(up.stdout)
    assert set(told) == {"url", "email", "password", "sign_in_link", "data_dir"}
    assert told["data_dir"] == str(platform.data.root)
    assert served_by(told["url"]) == platform.pids()["edge"]
    down = platform.run("down")
    assert down.returncode == 0 and "edge stopped" in down.stdout
    assert json.loads(platform.run("status", "--output", "json").stdout)["running"] is False
    assert platform.run("down").returncode == 3


def test_the_password_is_in_no_file(platform: Platform) -> None:
    platform.run("up", "--port", "0", "--detach")
    platform.run("down")
    files = [path for path in platform.data.root.rglob("*") if path.is_file()]
    assert any("supervisor.log" in path.name for path in files)
    assert [path for path in files if PASSWORD.encode() in path.read_bytes()] == []


def test_a_failed_detached_start_leaves_nothing_running(platform: Platform) -> None:
    up = platform.run("up", "--port", "0", "--detach", "--output", "json", plan="fatal")
    assert (up.returncode, up.stdout) == (1, "")
    assert up.stderr.splitlines()[-3:] == [
        "error: the toy has bad settings", "where: toy.yaml line 3", "do: correct it"
    ]  # fmt: skip
    assert platform.status()["running"] is False
    assert platform.status()["processes"] == []


def test_an_interrupted_detached_start_stops_what_it_began(platform: Platform) -> None:
    with platform.up("--detach", plan="crashing") as up:
        up.until("core ended")
        up.signal(signal.SIGINT)
        code, said = up.end()
    assert code == 1 and "interrupted" in said
    assert platform.status()["running"] is False


def test_down_stops_a_platform_that_is_still_starting(platform: Platform) -> None:
    with platform.up(plan="crashing") as up:
        up.until("core ended")
        assert platform.run("down").returncode == 0
        assert up.end()[0] == 0


def test_status_and_down_see_what_outlived_a_killed_supervisor(platform: Platform) -> None:
    """As on a system that cannot tell children of their parent's death."""
    child = subprocess.Popen(["sleep", "600"])
    platform.data.create()
    orphan = state.ProcessState(
        pid=child.pid,
        mark=procfs.start_mark(child.pid),
        state="ready",
        restarts=0,
        since="2020-01-01T00:00:00Z",
        stop_signal=15,
    )
    state.write(
        platform.data.state,
        state.State(
            pid=1,
            mark="0",
            url="",
            version="0",
            since="2020-01-01T00:00:00Z",
            data_dir="",
            processes={"core": orphan},
        ),
    )
    told = platform.run("status")
    assert told.returncode == 3 and f"core (pid {child.pid})" in told.stdout
    down = platform.run("down")
    assert down.returncode == 0
    assert child.wait() == -signal.SIGTERM


def test_what_was_chosen_once_is_kept(platform: Platform) -> None:
    with platform.up("--public-url", "https://argosy.example.com/").ready():
        assert platform.status()["url"] == "https://argosy.example.com"
    with platform.up().ready():
        assert platform.status()["url"] == "https://argosy.example.com"


def test_reset_shows_first_refuses_while_running_and_then_deletes(platform: Platform) -> None:
    with platform.up().ready() as up:
        preview = platform.run("reset")
        assert preview.returncode == 5 and "secrets/" in preview.stdout
        refused = platform.run("reset", "--yes")
        assert refused.returncode == 5 and "argosy down" in refused.stderr
        assert platform.run("reset", "--yes", "--stop").returncode == 0
        assert up.end()[0] == 0
    assert not platform.data.root.exists()


def test_a_restore_that_was_cut_short_is_cleared_away_before_a_start(platform: Platform) -> None:
    stage_of(platform.data).create()
    with platform.up().ready():
        assert not stage_of(platform.data).root.exists()


def test_a_fault_of_our_own_is_told_to_who_waits(platform: Platform) -> None:
    up = platform.run("up", "--port", "0", "--detach", plan="broken_plan")
    assert up.returncode == 1
    assert "KeyError: 'broken'" in up.stderr and len(up.stderr.splitlines()) == 3
    assert platform.status()["running"] is False


def test_reset_touches_no_folder_that_is_not_ours(platform: Platform) -> None:
    platform.data.root.mkdir()
    (platform.data.root / "thesis.txt").write_text("years")
    assert platform.run("reset", "--yes").returncode == 5
    assert (platform.data.root / "thesis.txt").exists()

"""The promise behind every 2xx: whatever is killed next, what was acknowledged is there once, with its audit entry."""

from __future__ import annotations

import http.client
import json
import os
import random
import secrets
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Self

import pytest

from tests.installation import Client, Installation

WRITERS = 4
VICTIMS = ("core", "edge", "postgres", "supervisor")


class Writers:
    """Create teams as fast as they are answered, and write down each 2xx before going on."""

    def __init__(self, key: str, url: str) -> None:
        self.url, self._key = url, key
        self.acknowledged: list[tuple[str, str]] = []  # (id, name)
        self.refused = 0
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._write, daemon=True) for _ in range(WRITERS)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join(timeout=60)
            assert not thread.is_alive(), "a request hangs"

    def _write(self) -> None:
        while not self._stop.is_set():
            name, once = f"team-{secrets.token_hex(8)}", secrets.token_hex(12)
            while (
                not self._stop.is_set()
            ):  # the same request until it is answered: the key makes it one write
                answer = self._ask(name, once)
                if answer is not None:
                    self.acknowledged.append((answer, name))
                    break
                self._stop.wait(0.05)

    def _ask(self, name: str, once: str) -> str | None:
        try:
            reply = Client(self.url, key=self._key).request(
                "POST", "/api/teams", {"name": name}, **{"Idempotency-Key": once}
            )
        except (OSError, http.client.HTTPException):  # the other end died in the middle
            return None
        if reply.status == 200:
            return str(reply.json["id"])
        if reply.status == 409 and reply.code == "idempotency.done":
            return str(reply.json["context"].get("resource_id", ""))
        assert reply.status in (401, 429, 503, 504), reply.body
        self.refused += 1
        return None


def state_of(installation: Installation) -> dict[str, int]:
    """Process name to pid, as the supervisor wrote it down."""
    state = json.loads((installation.data_dir / "run" / "supervisor.json").read_text())
    return {"supervisor": state["pid"]} | {
        name: process["pid"] for name, process in state["processes"].items() if process["pid"]
    }


def kill(installation: Installation, victim: str) -> None:
    pid = state_of(installation).get(victim, 0)
    if pid and Path(f"/proc/{pid}").exists():
        os.kill(pid, signal.SIGKILL)


def wait_until_well(installation: Installation, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if Client(installation.url).send("GET", "/readyz", timeout=5).status == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)  # waiting for another process: there is no event of it here
    pytest.fail(f"not ready again within {seconds} s\n{installation.log_tail()}")


def survive(rounds: int, seed: int) -> None:
    dice = random.Random(seed)
    with Installation() as installation:
        key = installation.admin.done("POST", "/api/api-keys", {"name": "writers"})["key"]
        port = int(installation.url.rpartition(":")[2])
        with Writers(key, installation.url) as writers:
            for number in range(rounds):
                written = len(writers.acknowledged)
                victim = VICTIMS[number % len(VICTIMS)] if number < len(VICTIMS) else dice.choice(VICTIMS)
                time.sleep(dice.uniform(0.05, 0.6))  # at any point of the work
                kill(installation, victim)
                if victim == "supervisor":
                    installation.up(port)
                wait_until_well(installation)
                wait_for_progress(writers, written)
        acknowledged = list(writers.acknowledged)
        assert len(acknowledged) >= rounds
        # The last write may have been answered just before the kill, and readiness asked just before it was noticed.
        wait_until_read(Client(installation.url, key=key))
        check(Client(installation.url, key=key), acknowledged)


def wait_until_read(client: Client, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while client.request("GET", "/api/teams?limit=1").status != 200:
        assert time.monotonic() < deadline, "nothing can be read after the last kill"
        time.sleep(0.05)


def wait_for_progress(writers: Writers, written: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while len(writers.acknowledged) <= written:
        assert time.monotonic() < deadline, "no write was acknowledged after the kill"
        time.sleep(0.02)


def everything(client: Client, path: str) -> list[dict[str, str]]:
    items: list[dict[str, str]] = []
    after = ""
    while True:
        page = client.done("GET", f"{path}{'&' if '?' in path else '?'}limit=200&after={after}")
        items += page["items"]
        if not (after := page["next"]):
            return items


def check(client: Client, acknowledged: list[tuple[str, str]]) -> None:
    there = Counter(team["id"] for team in everything(client, "/api/teams"))
    lost = [identifier for identifier, _ in acknowledged if there[identifier] != 1]
    assert not lost, f"{len(lost)} of {len(acknowledged)} acknowledged teams are not there exactly once"
    names = Counter(team["name"] for team in everything(client, "/api/teams"))
    assert max(names.values()) == 1
    deadline = time.monotonic() + 30
    while True:
        entries = Counter(
            entry["resource_id"]
            for entry in everything(
                client, "/api/audit?kind=change&resource=team&operation=create_team&result=ok"
            )
        )
        unaudited = [identifier for identifier, _ in acknowledged if entries[identifier] != 1]
        if not unaudited or time.monotonic() > deadline:
            break
        time.sleep(0.2)
    assert not unaudited, f"{len(unaudited)} of {len(acknowledged)} have not exactly one audit entry"
    assert client.done("GET", "/api/audit/verify")["whole"] is True


def test_each_process_killed_once_loses_and_doubles_nothing() -> None:
    survive(rounds=len(VICTIMS), seed=1)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_everything_killed_twenty_times_loses_and_doubles_nothing() -> None:
    survive(rounds=20, seed=secrets.randbits(32))

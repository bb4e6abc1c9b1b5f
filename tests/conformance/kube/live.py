"""An embedded cluster as `argosy up` runs it, with controllers and nodes, for clients that know nothing of it.

The fixtures of `conftest` start one per test worker, in a thread with a loop of its own; tests keep apart by namespaces.
`kubectl`, `helm` and other programs get a home of their own, so that they read and leave nothing of the machine's.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import uvloop

from argosy.host.clusters.home import Home
from argosy.host.clusters.running import Running
from argosy.kit import yaml
from argosy.kube.controllers.ingress import Claims, Front
from tests.conformance.kube.replay import Server
from tools.oracle import server


class Embedded:
    """Starts, stops and starts again, on the same port and with the same objects."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "test")
        self.home.folder.mkdir(parents=True, exist_ok=True)
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], object] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure: BaseException | None = None

    @property
    def kubeconfig(self) -> Path:
        return self.home.kubeconfig

    @cached_property
    def server(self) -> Server:
        """For requests of one's own making."""
        return server(self.kubeconfig)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """For the given of a test."""
        request = urllib.request.Request(
            self.server.url + path,
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, context=self.server.admin, timeout=20) as answer:
            return json.load(answer)

    def has(self, path: str) -> bool:
        try:
            self.ask("GET", path)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return False
        return True

    def start(self) -> None:
        started = threading.Event()

        async def main() -> None:
            asked_to_stop, loop = asyncio.Event(), asyncio.get_running_loop()
            running = Running(self.home, Front("http://127.0.0.1:8080", frozenset()), Claims())
            await running.start()
            self._stop = lambda: loop.call_soon_threadsafe(asked_to_stop.set)
            self._loop = loop
            started.set()
            await asked_to_stop.wait()
            await running.stop()

        def run() -> None:
            try:
                uvloop.run(main())
            except BaseException as error:
                self._failure = error
            finally:
                started.set()

        self._thread = threading.Thread(target=run, name="embedded-cluster", daemon=True)
        self._thread.start()
        assert started.wait(30), "the cluster does not start"
        self._check()

    def stop(self) -> None:
        if self._thread is not None:
            self._stop()
            self._thread.join(30)
            assert not self._thread.is_alive(), f"the cluster does not stop: {asyncio.all_tasks(self._loop)}"
            self._check()

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def yaml(self) -> Any:
        """JSON is YAML."""
        return yaml.load(self.out.encode(), what="its output")

    @property
    def rows(self) -> list[list[str]]:
        """Of a table, by its columns; the first is the header. Cells are at least two blanks apart."""
        return [re.split(r" {2,}", line.strip()) for line in self.out.splitlines() if line.strip()]


@dataclass(frozen=True)
class Tool:
    """A program that talks to the cluster from one namespace."""

    program: Path
    kubeconfig: Path
    home: Path
    namespace: str = ""
    environ: dict[str, str] = field(default_factory=dict)

    def run(self, *words: str, stdin: str = "", timeout: float = 40) -> Done:
        return self.ended(self.command(words), stdin=stdin, timeout=timeout)

    def done(self, *words: str, stdin: str = "", timeout: float = 40) -> Done:
        """It must succeed."""
        found = self.run(*words, stdin=stdin, timeout=timeout)
        assert found.status == 0, (
            f"{self.program.name} {' '.join(words)}: {found.status}\n{found.err}{found.out}"
        )
        return found

    def refused(self, *words: str, stdin: str = "", timeout: float = 40) -> Done:
        """It must fail."""
        found = self.run(*words, stdin=stdin, timeout=timeout)
        assert found.status != 0, f"{self.program.name} {' '.join(words)} worked: {found.out}"
        return found

    def command(self, words: Sequence[str]) -> list[str]:
        inside = ["--namespace", self.namespace] if self.namespace else []
        # A plug-in's flags stand behind its name, and a list of words after `--` is not ours to lengthen.
        at = words.index("--") if "--" in words else len(words)
        return [str(self.program), *words[:at], *inside, *words[at:]]

    def ended(self, command: Sequence[str], *, stdin: str, timeout: float) -> Done:
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False, env=self.environment
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "KUBECONFIG": str(self.kubeconfig),
            "LC_ALL": "C.UTF-8",
            **self.environ,
        }


class Kubectl(Tool):
    @property
    def minor(self) -> int:
        return _minor(self.program)

    def needs(self, minor: int) -> None:
        """For what younger versions of the program learned."""
        if self.minor < minor:
            pytest.skip(f"kubectl 1.{self.minor} cannot do that")

    def apply(self, manifest: str, *words: str) -> str:
        return self.done("apply", "-f", "-", *words, stdin=manifest).out

    def get(self, *words: str) -> Any:
        return self.done("get", *words, "-o", "json").yaml

    def rolled_out(self, what: str) -> str:
        return self.done("rollout", "status", what, "--timeout=30s").out


def _minor(program: Path) -> int:
    if program not in _MINORS:
        said = subprocess.run(
            [program, "version", "--client", "-o", "json"], capture_output=True, text=True, check=True, timeout=30
        ).stdout  # fmt: skip
        found = re.search(r'"minor": "(\d+)', said)
        assert found, said
        _MINORS[program] = int(found[1])
    return _MINORS[program]


_MINORS: dict[Path, int] = {}


def until(true: Callable[[], object], *, seconds: float = 20, what: str = "it does not come true") -> Any:
    """What the cluster does by itself has no event that a bystander could wait for."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, what
        time.sleep(0.05)
    return found


def embedded(folder: Path) -> Iterator[Embedded]:
    found = Embedded(folder)
    found.start()
    try:
        yield found
    finally:
        found.stop()

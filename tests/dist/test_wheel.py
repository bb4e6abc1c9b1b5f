"""The wheel is the product: installed in an empty environment it starts, with its UI, without Node or network."""

import json
import os
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tools import bootstrap, dist
from tools.setup import uv_environment
from tools.steps import run

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]

SECONDS_TOGETHER = 30


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dist.build(tmp_path_factory.mktemp("dist"))


def test_the_wheel_carries_the_built_ui_and_every_migration(wheel: Path) -> None:
    assert dist.lacking(wheel) == []


def test_it_installs_and_starts_without_node_or_network(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    warm_the_cache(wheel, tmp_path / "warm")

    started = time.monotonic()
    install(wheel, venv, "--offline")
    argosy = Argosy(venv / "bin" / "argosy", tmp_path)
    assert "up" in argosy("--help")
    with argosy.running() as said:
        seconds = time.monotonic() - started
        page = urllib.request.urlopen(said["url"], timeout=10).read().decode()

    assert "<script" in page
    assert said["password"]
    assert seconds <= SECONDS_TOGETHER


def warm_the_cache(wheel: Path, venv: Path) -> None:
    """The one run that may use the network: what it fetches stays in uv's cache."""
    install(wheel, venv)


def install(wheel: Path, venv: Path, *options: str) -> None:
    run([bootstrap.UV, "venv", venv], env=uv_environment())
    environment = {**uv_environment(), "VIRTUAL_ENV": str(venv)}
    run([bootstrap.UV, "pip", "install", *options, wheel], env=environment, deadline=240)


class Argosy:
    """The installed command, with a home of its own and nothing but the system's programs on its path."""

    def __init__(self, program: Path, home: Path) -> None:
        self._program = program
        self._data_dir = home / "data"
        kept = {name: value for name, value in os.environ.items() if name in {"LANG", "TMPDIR"}}
        self._environment = {**kept, "HOME": str(home), "PATH": "/usr/bin:/bin"}

    def __call__(self, *arguments: str) -> str:
        done = subprocess.run(
            [self._program, *arguments],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def running(self) -> Iterator[dict[str, str]]:
        up = ("up", "--detach", "--output", "json", "--port", "0", "--data-dir", str(self._data_dir))
        said: dict[str, str] = json.loads(self(*up))
        try:
            yield said
        finally:
            self("down", "--data-dir", str(self._data_dir))


def test_down_leaves_no_process_behind(wheel: Path, tmp_path: Path) -> None:
    install(wheel, tmp_path / "venv")
    argosy = Argosy(tmp_path / "venv" / "bin" / "argosy", tmp_path)

    with argosy.running():
        pass

    assert list(processes_about(tmp_path)) == []


def processes_about(folder: Path) -> Iterator[str]:
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = command.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(folder) in words:
            yield words

"""What a renderer does not need is taken away from it, as root and as nobody."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.manifests.workers.confining import confined
from tests import needs

TRIED = """
import os, socket, subprocess, sys
from pathlib import Path
from argosy.manifests.workers.confining import confine

door, folder, outside = ("127.0.0.1", int(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3])
connect = lambda: socket.create_connection(door, 5).close()
write = lambda: (outside / "x").write_text("x")

def refused(what):
    try:
        what()
    except OSError:
        return True
    return False

def refused_to_a_child(what):
    child = os.fork()
    if not child:
        os._exit(0 if refused(what) else 1)
    return os.waitpid(child, 0)[1] == 0

connect()
write()
if sys.argv[4] == "nobody":
    os.setgid(65534)
    os.setuid(65534)
found = confine(folder)
said = [found.network, found.writing, refused(connect), refused_to_a_child(connect), refused(write), refused_to_a_child(write)]
said.append(subprocess.run(["/bin/sh", "-c", 'echo x > "$0/y"', str(outside)], capture_output=True).returncode != 0)
(folder / "inside").write_text("x")
(folder / "inside").unlink()
open(os.devnull, "w").write("x")
Path("/etc/passwd").read_text()
print(all(said), said)
"""


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        door.listen(16)
        yield door.getsockname()[1]


@pytest.fixture
def anybodys() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("folder", "outside"):
            (Path(folder) / name).mkdir()
            (Path(folder) / name).chmod(0o777)
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.parametrize("who", ["myself", "nobody"])
def test_it_can_reach_nobody_and_write_nowhere_else(anybodys: Path, who: str, listening: int) -> None:
    if not (confined().network and confined().writing):
        needs.absent("this kernel has no Landlock, or gives no namespaces")
    if who == "nobody" and os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    folders = [str(anybodys / "folder"), str(anybodys / "outside")]
    command = [sys.executable, "-c", TRIED, str(listening), *folders, who]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd="/")
    assert done.stdout.startswith("True"), done.stdout + done.stderr

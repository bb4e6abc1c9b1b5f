"""One supervisor per data directory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from argosy.host.supervisor import lock


def test_only_one_holds_the_lock_and_it_is_free_again_when_that_one_ends(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert lock.is_free(path)
    with lock.held(path) as ours:
        assert ours
        assert lock.take(path) is None
        assert not lock.is_free(path)
    assert lock.is_free(path)
    fd = lock.take(path)
    assert fd is not None
    os.close(fd)


def test_a_lock_dies_with_its_holder(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    program = "import os, pathlib, sys; from argosy.host.supervisor import lock\n"
    program += "lock.take(pathlib.Path(sys.argv[1])); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", program, path], check=False).returncode == -9
    assert lock.is_free(path)

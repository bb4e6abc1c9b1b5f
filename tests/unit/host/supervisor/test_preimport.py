"""What is imported once for all children."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import gc, sys
from argosy.host.supervisor.preimport import preimport
from argosy.kit.errors import Internal
sys.path.insert(0, sys.argv[1])
try:
    preimport([sys.argv[2]])
    print("frozen" if gc.get_freeze_count() > 1000 else "not frozen")
except Internal as error:
    print(error.message)
"""


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("x = 1", "frozen"),
        ("import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
         "importing module_under_test started a thread"),
    ],
)  # fmt: skip
def test_only_a_single_thread_may_be_forked(
    tmp_path_factory: pytest.TempPathFactory, source: str, outcome: str
) -> None:
    folder = tmp_path_factory.mktemp("modules")
    (folder / "module_under_test.py").write_text(source)
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), "module_under_test"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == outcome

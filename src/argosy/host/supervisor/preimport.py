"""Imports once, in the parent, what every forked child needs: the pages are then shared, not copied.

`lifecycle.up` calls it with the list of the plan, before the first fork. `gc.freeze` keeps the collector of a
child from touching (and so copying) the pages of objects it did not make.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import threading
from collections.abc import Iterable

from argosy.host.supervisor.prctl import give_back_memory
from argosy.kit.errors import Internal


def preimport(modules: Iterable[str]) -> None:
    """A module that starts a thread when imported cannot be here: a fork would copy its locks, not its thread."""
    for module in modules:
        importlib.import_module(module)
        if _threads() > 1:
            raise Internal(
                f"importing {module} started a thread",
                code="host.preimport",
                cure="take it out of the pre-import list of argosy.host.plan; its process imports it itself",
            )
    gc.collect()
    gc.freeze()
    give_back_memory()
    sys.stdout.flush()
    sys.stderr.flush()


def _threads() -> int:
    """Those of native libraries too, where the kernel tells."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()

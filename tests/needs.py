"""What a test needs from the machine: without it a test is skipped with the reason; in CI that is a failure."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def program(name: str) -> str:
    """Where it is. `make test` installs those that tests ask for (`tools.programs`)."""
    return shutil.which(name) or absent(f"no {name} on this machine (make test says why)")


def absent(reason: str) -> NoReturn:
    if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
        pytest.fail(reason)
    pytest.skip(reason)

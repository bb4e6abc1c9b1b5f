"""What every test may ask for: a browser, or an honest reason why there is none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tools import browser


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The browser's program. Without one the test is skipped; in CI that is a failure."""
    found = browser.find()
    if found is not None:
        return found
    reason = "no chromium on this machine (make test says why)"
    if os.environ.get("CI", "").lower() in {"1", "true", "yes"}:
        pytest.fail(reason)
    pytest.skip(reason)

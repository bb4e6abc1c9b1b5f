"""What every test may ask for: a browser, or an honest reason why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests import needs
from tests.installation import Installation
from tools import browser

# A loaded machine must not fail a property for being slow: timings belong into benchmarks.
hypothesis.settings.register_profile("argosy", deadline=None)
hypothesis.settings.load_profile("argosy")


@pytest.fixture(scope="session")
def chromium() -> Path:
    """The browser's program. Without one the test is skipped; in CI that is a failure."""
    return browser.find() or needs.absent("no chromium on this machine (make test says why)")


@pytest.fixture(scope="session")
def installation() -> Iterator[Installation]:
    """A running platform, one per test worker. Keep apart from other tests by an account: `installation.new_account()`.
    A test that kills, restarts or reconfigures starts its own `Installation`."""
    with Installation() as running:
        yield running

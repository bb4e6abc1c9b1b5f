"""Places for clusters: short enough for a socket, and never in the machine's own /var/lib."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from argosy.host.paths import DataDir
from tests.supervised_postgres import short_place


@pytest.fixture
def place() -> Iterator[Path]:
    with short_place() as folder:
        yield folder


@pytest.fixture
def shared(place: Path) -> Path:
    """Where root keeps the clusters of data directories that others cannot enter."""
    return place / "shared"


@pytest.fixture
def data(place: Path) -> DataDir:
    return DataDir(place / "argosy")

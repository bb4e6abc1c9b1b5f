from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.argo.cd.repositories.world import Server, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with World(tmp_path) as made:
        yield made


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with Server() as started:
        yield started

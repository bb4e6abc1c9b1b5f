"""Identity against a real PostgreSQL: `world` has the API, a clock to move, and builders for calls of every kind."""

from __future__ import annotations

import pytest

from tests.postgres import TestPostgres
from tests.unit.platform.identity.world import World


@pytest.fixture(scope="session")
def server():
    with TestPostgres() as running:
        yield running


@pytest.fixture
async def world(server, tmp_path):
    dsns = server.new_database(services=["identity"])
    world = await World.start(dsns, tmp_path)
    yield world
    await world.stop()
    server.drop_database(dsns["admin"])

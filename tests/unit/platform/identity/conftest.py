"""Identity against a real PostgreSQL: `world` has the API, a clock to move, and builders for calls of every kind.

One migrated database serves all tests of a process and is emptied after each: that is ten times faster than a new one.
"""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.postgres import TestPostgres
from tests.unit.platform.identity.world import World, prepare


@pytest.fixture(scope="session")
def dsns():
    with TestPostgres() as server:
        found = server.new_database(services=["identity"])
        thread = threading.Thread(target=lambda: asyncio.run(prepare(found)))
        thread.start()
        thread.join()
        yield found


@pytest.fixture
async def world(dsns, tmp_path):
    world = await World.start(dsns, tmp_path)
    yield world
    await world.empty()
    await world.stop()

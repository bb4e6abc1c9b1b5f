from __future__ import annotations

from pathlib import Path

import pytest

from tests.git_repository import Work


@pytest.fixture
def work(tmp_path: Path) -> Work:
    return Work(tmp_path / "work")

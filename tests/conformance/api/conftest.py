from __future__ import annotations

import pytest

from tests.installation import Installation
from tests.security.cast import Cast


@pytest.fixture(scope="session")
def cast(installation: Installation) -> Cast:
    """Throw-away accounts with their admins and keys; fuzzing leaves much behind."""
    return Cast(installation)

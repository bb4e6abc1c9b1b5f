from __future__ import annotations

import pytest

from tests.installation import Installation
from tests.security.cast import Cast


@pytest.fixture(scope="session")
def cast(installation: Installation) -> Cast:
    """Everybody who may stand before a door of the shared installation."""
    return Cast(installation)

"""Where the browser of the browser tests is. `tools.programs` installs Debian's chromium when there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

SETTING = "ARGOSY_TEST_CHROMIUM"
_NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")


def find() -> Path | None:
    if chosen := os.environ.get(SETTING, ""):
        return Path(chosen) if Path(chosen).is_file() else None
    return next((Path(found) for name in _NAMES if (found := shutil.which(name))), None)

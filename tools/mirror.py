"""Machines whose packages come from an index of their own.

`uv sync --frozen` fetches from the addresses in uv.lock. Where pip is configured with another index those
may be out of reach, so `tools.setup` takes this way instead: the same versions and the same hashes, asked
of the configured index.
"""

from __future__ import annotations

import configparser
import os
import ssl
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tools import bootstrap
from tools.steps import ROOT, run

_CURE = "Check that the index pip is configured with is reachable and has these packages."


def index_of_pip() -> str | None:
    """The index pip was told to use, unless uv was told its own. None: nobody configured anything."""
    if any(os.environ.get(name) for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX")):
        return os.environ.get("UV_DEFAULT_INDEX") or os.environ.get("UV_INDEX_URL") or None
    if told := os.environ.get("PIP_INDEX_URL"):
        return told
    home = Path.home()
    config = os.environ.get("PIP_CONFIG_FILE", "")
    for file in (
        Path(config) if config else home / ".config" / "pip" / "pip.conf",
        home / ".pip" / "pip.conf",
        Path("/etc/pip.conf"),
    ):
        parsed = configparser.RawConfigParser()
        try:
            parsed.read(file)
        except configparser.Error:
            continue
        if told := parsed.get("global", "index-url", fallback=""):
            return told
    return None


def trusting(environ: Mapping[str, str]) -> dict[str, str]:
    """Lets uv trust whom this machine trusts: pip's certificates, or the system's when it has any."""
    environment = dict(environ)
    system = ssl.get_default_verify_paths()
    if "PIP_CERT" in environment:
        environment.setdefault("SSL_CERT_FILE", environment["PIP_CERT"])
    elif system.cafile or (system.capath and any(Path(system.capath).iterdir())):
        environment.setdefault("UV_SYSTEM_CERTS", "true")
    return environment


def sync_from_index(index: str, groups: list[str]) -> None:
    venv = {"UV_DEFAULT_INDEX": index, "VIRTUAL_ENV": str(ROOT / ".venv")}
    environment = {**trusting(os.environ), **venv}
    uv = bootstrap.UV
    if not (ROOT / ".venv" / "bin" / "python").exists():
        run([uv, "venv", "--python", sys.executable, ROOT / ".venv"], env=environment)
    with tempfile.TemporaryDirectory() as folder:
        wanted = Path(folder, "requirements.txt")
        export: list[str | Path] = [
            "export",
            "--frozen",
            "--no-emit-project",
            "--no-header",
            *groups,
            "-o",
            wanted,
        ]
        run([uv, *export], env=environment)
        install: list[str | Path] = ["pip", "install", "--require-hashes", "-r", wanted]
        run([uv, *install], env=environment, cure=_CURE)
    run([uv, "pip", "install", "--no-deps", "-e", ROOT], env=environment, cure=_CURE)

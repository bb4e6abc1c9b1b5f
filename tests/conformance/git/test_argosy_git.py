"""`argosy git`: repositories from the command line, and the credential that git gets from it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.git.conftest import Server
from tests.git_repository import ALONE, WHO


@pytest.fixture
def environ(server: Server, tmp_path: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "ARGOSY_CONFIG": str(tmp_path / "config.json"),
        "ARGOSY_URL": server.installation.url,
        "ARGOSY_API_KEY": server.tenant.admin_key.key,
        **ALONE,
        **WHO,
    }


def argosy(environ: dict[str, str], *words: str, told: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "argosy.cli.main", "git", *words]
    return subprocess.run(
        command, env=environ, input=told, capture_output=True, text=True, check=False, timeout=60
    )


def test_a_repository_is_made_listed_shown_and_deleted(server: Server, environ: dict[str, str]) -> None:
    made = json.loads(argosy(environ, "create", "shop", "-o", "json").stdout)
    assert made["url"] == f"{server.installation.url}/git/{server.tenant.id}/shop.git"
    assert "shop" in argosy(environ, "list").stdout
    assert json.loads(argosy(environ, "get", "shop", "-o", "json").stdout)["id"] == made["id"]
    help_ = argosy(environ, "clone-help", "shop").stdout
    assert f"git clone {made['url']}" in help_
    refused = argosy(environ, "delete", "shop")
    assert (refused.returncode, "--yes" in refused.stderr) == (13, True)
    assert argosy(environ, "delete", "shop", "--yes").returncode == 0
    assert argosy(environ, "get", "shop").returncode == 12


def test_git_gets_in_with_the_key_of_the_command_line(
    server: Server, environ: dict[str, str], tmp_path: Path
) -> None:
    made = json.loads(argosy(environ, "create", "shop", "-o", "json").stdout)
    helper = f"credential.{server.installation.url}.helper"
    value = f"!{sys.executable} -m argosy.cli.main git credential"
    command = ["git", "-c", f"{helper}={value}", "clone", "--quiet", made["url"], str(tmp_path / "clone")]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert server.tenant.admin_key.key not in (tmp_path / "clone/.git/config").read_text()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", ""])
def test_no_other_host_is_told_the_key(environ: dict[str, str], host: str) -> None:
    said = argosy(environ, "credential", "get", told=f"protocol=http\nhost={host}\n\n")
    assert (said.returncode, said.stdout) == (0, "")


def test_what_git_says_besides_is_taken_calmly(environ: dict[str, str]) -> None:
    for operation in ("store", "erase"):
        said = argosy(
            environ, "credential", operation, told="protocol=http\nhost=x\nusername=a\npassword=b\n\n"
        )
        assert (said.returncode, said.stdout) == (0, "")

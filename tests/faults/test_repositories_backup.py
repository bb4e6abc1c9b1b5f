"""Repositories come back from a backup with every ref; what they were and what was announced agree again."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conformance.git.conftest import Server
from tests.installation import Installation


def test_repositories_survive_backup_reset_and_restore(tmp_path: Path) -> None:
    file = tmp_path / "all.argosy"
    with Installation() as installation:
        server = Server(installation, installation.new_account(), tmp_path)
        full, empty = server.make("full"), server.make("empty", default_branch="trunk")
        work = server.work(full)
        work.commit({"big": os.urandom(2 << 20)})
        work.git("tag", "--annotate", "--message=one", "v1")
        work.git("push", "--quiet", "origin", "main", "v1", "HEAD:other")
        before = server.one(full, "/refs")
        installation.run("backup", str(file))
        work.commit({"after": "the backup"})
        work.git("push", "--quiet")

        installation.run("down")
        installation.run("reset", "--yes")
        installation.run("restore", str(file))
        installation.up()

        server.tenant.admin_key.url = installation.url
        assert server.one(full, "/refs") == before
        full, empty = (server.one(one) for one in (full, empty))
        copy = server.clone(full, "copy")
        assert (copy.folder / "big").stat().st_size == 2 << 20
        assert copy.git("tag") == "v1"
        fresh = server.clone(empty, "fresh")
        assert fresh.git("symbolic-ref", "--short", "HEAD") == "trunk"
        copy.commit({"a.yaml": "again"})
        copy.git("push", "--quiet")

        again = tmp_path / "again.argosy"
        installation.run("backup", str(again))
        assert again.stat().st_size > 2 << 20

"""A repository for tests, written with the real Git: `commit({"path": "content"})` and on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

WHO = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0200",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "1700000000 +0200",
}
ALONE = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "gc.auto",  # nothing goes on behind a test's back
    "GIT_CONFIG_VALUE_0": "0",
}


class Work:
    """A checkout. `link("name", "target")` makes a symbolic link; None as content removes a file."""

    def __init__(self, folder: Path, *, branch: str = "main") -> None:
        self.folder = folder
        if not (folder / ".git").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", f"--initial-branch={branch}")

    def git(self, *arguments: str, check: bool = True, timeout: float = 60, **environ: str) -> str:
        done = self.tried(*arguments, timeout=timeout, **environ)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout.strip()

    def tried(self, *arguments: str, timeout: float = 60, **environ: str) -> subprocess.CompletedProcess[str]:
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **ALONE, **WHO, **environ}
        return subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        for path, content in files.items():
            file = self.folder / path
            if content is None:
                file.unlink()
                continue
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def link(self, path: str, target: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).symlink_to(target)

    def commit(self, files: Mapping[str, str | bytes | None] | None = None, message: str = "change") -> str:
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", f"--message={message}")
        return self.git("rev-parse", "HEAD")

    def with_tree(self, *entries: tuple[str, str, str], message: str = "odd") -> str:
        """A commit of entries (mode, hash, name) that no checkout could have: what `git add` would refuse."""
        raw = b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid) for mode, oid, name in entries)
        done = subprocess.run(
            ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
            cwd=self.folder, input=raw, capture_output=True, check=True,
        )  # fmt: skip
        return self.git("commit-tree", "-m", message, done.stdout.decode().strip())

    def blob(self, content: str) -> str:
        done = subprocess.run(
            ["git", "hash-object", "-w", "--stdin"],
            cwd=self.folder,
            input=content.encode(),
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

"""The `argosy` command as a person or a script runs it: a process, with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.installation import ARGOSY


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[str]:
        return self.err.splitlines()


class CommandLine:
    def __init__(self, folder: Path, url: str = "", key: str = "") -> None:
        self.config = folder / "argosy" / "config.json"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ARGOSY_")}
        self.environ = {**kept, "HOME": str(folder), "ARGOSY_CONFIG": str(self.config)}
        if url:
            self.environ |= {"ARGOSY_URL": url, "ARGOSY_API_KEY": key}

    def run(self, *words: str, stdin: str = "", timeout: float = 60) -> Done:
        done = subprocess.run(
            [*ARGOSY, *words], input=stdin, capture_output=True, text=True, timeout=timeout, check=False,
            env=self.environ,
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    def done(self, *words: str, stdin: str = "") -> Done:
        """For the given of a test: it must succeed."""
        done = self.run(*words, stdin=stdin)
        assert done.status == 0, f"argosy {' '.join(words)}: {done.status} {done.err}"
        return done

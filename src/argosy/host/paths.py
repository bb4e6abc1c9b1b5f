"""Where everything of one installation lies: a data directory, private to its owner.

Nothing else builds such a path by hand. `secrets/` is apart from `postgres/` so that a copy of the data
is not also a copy of the keys.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

METRICS_TOKEN = "metrics-token"  # in `DataDir.secrets`


@dataclass(frozen=True, slots=True)
class DataDir:
    root: Path

    @classmethod
    def default(cls) -> DataDir:
        return cls(Path(os.environ.get("ARGOSY_DATA_DIR", "") or Path.home() / ".argosy"))

    @property
    def settings(self) -> Path:
        """What `argosy up` was told last, and what an operator may edit: one YAML mapping per section."""
        return self.root / "settings.yaml"

    @property
    def run(self) -> Path:
        """Sockets, the lock and the state of the running supervisor. Emptied by a clean stop."""
        return self.root / "run"

    @property
    def lock(self) -> Path:
        return self.run / "supervisor.lock"

    @property
    def state(self) -> Path:
        """JSON: pid, url, version, started, and the processes with their pids."""
        return self.run / "supervisor.json"

    @property
    def secrets(self) -> Path:
        """0600 files: one password per database role, one key pair per service, the key that seals data."""
        return self.root / "secrets"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def anchors(self) -> Path:
        """Signed heads of the audit chains, outside the database they vouch for."""
        return self.root / "anchors"

    @property
    def postgres(self) -> Path:
        return self.root / "postgres"

    @property
    def clusters(self) -> Path:
        """The embedded Kubernetes clusters, one folder each."""
        return self.root / "clusters"

    @property
    def git(self) -> Path:
        """The repositories of the Git server, a folder for each account; in backups, a bundle of each."""
        return self.root / "git"

    def socket(self, process: str) -> Path:
        return self.run / f"{process}.sock"

    def create(self) -> None:
        for folder in (self.root, self.run, self.secrets, self.logs, self.anchors, self.clusters):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

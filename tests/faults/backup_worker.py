"""A backup or a restore in a process of its own, killed with -9 when it says a line: for `test_clusters_backup`.

python -m tests.faults.backup_worker backup|restore DATA_DIR FILE LINE
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from argosy.host.backup import backup, restore
from argosy.host.paths import DataDir


def main(verb: str, data_dir: str, file: str, line: str) -> None:
    def said(text: str) -> None:
        if text.startswith(line):
            os.kill(os.getpid(), 9)

    if verb == "backup":
        backup(DataDir(Path(data_dir)), Path(file), said)
    else:
        restore(DataDir(Path(data_dir)), Path(file), True, said)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A cluster in a process of its own, whose memory can be measured: `python -m tests.security.kube_server FOLDER` until its
standard input ends."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.embedded_cluster import bare_cluster

if __name__ == "__main__":
    with bare_cluster(Path(sys.argv[1])):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()

"""`make ui-dev`: Vite with live reload. Requests for /api go to the platform that `make up` runs.

The address of the platform comes from `argosy status`; ARGOSY_URL names another one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tools.setup import UI, VENV, node_environment


def main() -> int:
    if not (UI / "package.json").is_file():
        print("ui-dev: ui/package.json is missing", file=sys.stderr)
        return 1
    url = os.environ.get("ARGOSY_URL") or running_platform()
    if not url:
        print("ui-dev: no platform runs here\nStart one in another terminal: make up", file=sys.stderr)
        return 1
    environment = {**node_environment(), "ARGOSY_URL": url}
    return subprocess.run(["npm", "run", "dev"], cwd=UI, env=environment, check=False).returncode


def running_platform() -> str:
    command = [str(VENV / "bin" / "argosy"), "status", "--output", "json"]
    said = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30).stdout
    try:
        status = json.loads(said)
    except ValueError:
        return ""
    return str(status.get("url") or "") if isinstance(status, dict) else ""


if __name__ == "__main__":
    sys.exit(main())

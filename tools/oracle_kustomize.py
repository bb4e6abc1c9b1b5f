"""The real kustomize, to compare `argosy.manifests.kustomize` with: built out of the Go module registry into the oracle's cache, and asked
for what the recorded cases expect.

    python -m tools.oracle kustomize [PATTERN]      records the cases of tests/conformance/kustomize whose names contain PATTERN
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from argosy.manifests.kustomize import VERSION
from tests.conformance.kustomize import recorded_cases as cases
from tools import oracle_build
from tools.steps import Stop, run, step

MODULE = f"""module oracle

go 1.27.0

require sigs.k8s.io/kustomize/kustomize/v5 {VERSION}

// It asks for a commit that not every registry has; only the types of OpenAPI documents come from there.
replace k8s.io/kube-openapi => k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
"""


def binary() -> Path:
    return oracle_build.home() / f"kustomize-{VERSION}" / "kustomize"


def build() -> None:
    """Nothing when it is there; else a minute."""
    if binary().is_file():
        return
    folder = oracle_build.home() / "modules" / "kustomize"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(MODULE)
    half = binary().with_suffix(".building")
    half.parent.mkdir(parents=True, exist_ok=True)
    flags = f"-s -w -X sigs.k8s.io/kustomize/api/provenance.version={VERSION}"
    command: list[str | Path] = [
        "nice",
        "-n",
        "10",
        "go",
        "build",
        "-p",
        "2",
        "-trimpath",
        "-ldflags",
        flags,
        "-o",
        half,
    ]
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=mod -buildvcs=false",
        "GOTOOLCHAIN": "auto",  # kustomize wants a newer Go than Kubernetes
    }
    with step(f"building kustomize {VERSION}"):
        run(
            [*command, "sigs.k8s.io/kustomize/kustomize/v5"],
            cwd=folder,
            env=environment,
            cure="Go builds the oracle: apt-get install golang, or https://go.dev/dl",
        )
    half.replace(binary())


def record(pattern: str) -> int:
    build()
    chosen = [one for one in cases.load() if pattern in one.name]
    changed = 0
    with step(f"recording {len(chosen)} cases of kustomize"):
        for case in chosen:
            before = case.recording()
            case.record(answer(case))
            changed += case.recording() != before
    print(f"record: {len(chosen)} recorded, {changed} new or changed")
    return 0


def answer(case: cases.Case) -> cases.Answer:
    """In a copy, because edits change it."""
    with tempfile.TemporaryDirectory() as scratch:
        case.copy_to(Path(scratch))
        folder = Path(scratch) / case.path
        for command in case.commands():
            done = _run([str(binary()), *command], folder)
            if done.returncode != 0:
                return cases.Answer("", cases.said(done.stderr, scratch))
        case.append_patches(folder)
        done = _run([str(binary()), "build", ".", *case.flags], folder)
        return cases.Answer(done.stdout if done.returncode == 0 else "", cases.said(done.stderr, scratch))


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    if not binary().is_file():
        raise Stop("kustomize is not built\nmake oracle")
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)

"""Builds the real Argo CD for `tools.argo_oracle`: one program that is each of its servers, by the name it is told to have.

It comes out of the Go module registry like the rest of the oracle, into the same cache; its manifests of custom resources stay beside it.
The newest version that the registry has whole: later ones replace one of their libraries by a folder that modules do not carry.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path

from tools import programs
from tools.oracle_build import GO, home
from tools.steps import Stop, run, step

ARGO_CD = "v3.2.11"
_MODULE = "github.com/argoproj/argo-cd/v3"
_LEFT_OUT = ("docs", "ui", "ui-test", "test")
REDIS = programs.Program("redis-tools", lambda: redis() is not None)


def folder() -> Path:
    return home() / f"argo-cd-{ARGO_CD}"


def binary() -> Path:
    return folder() / "argocd"


def crds() -> Path:
    return folder() / "crds"


def redis() -> str | None:
    """Debian's checker of dumps is the server under another name, and its package starts no service, other than the server's."""
    return shutil.which("redis-server") or shutil.which("redis-check-rdb")


def missing() -> str:
    """What is not there, and the cure; empty when Argo CD can be started."""
    if not binary().is_file():
        return "the real Argo CD is not built: make oracle"
    return "" if redis() is not None else "no redis-server on this machine: apt-get install redis-tools"


def build() -> None:
    """Nothing when it is there. The first time takes five minutes on two cores."""
    if why := programs.ensure([REDIS]):
        print(f"  Argo CD cannot be started: {why}")
    if binary().is_file() and crds().is_dir():
        print(f"  Argo CD is built: {folder()}")
        return
    with step(f"source of Argo CD {ARGO_CD}"):
        source = _writable_source()
    with step("building argocd"):
        _build(source)
    shutil.copytree(source / "manifests" / "crds", crds(), dirs_exist_ok=True)
    shutil.rmtree(source)


def _writable_source() -> Path:
    """Its UI is compiled in, so that a folder of it must be there; the registry's copy is read-only."""
    home().mkdir(parents=True, exist_ok=True)
    told = run(["go", "mod", "download", "-json", f"{_MODULE}@{ARGO_CD}"], cwd=home(), cure=GO)
    module = Path(json.loads(told[told.index("{") :])["Dir"])
    source = home() / "modules" / "argo-cd"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(module, source, ignore=lambda at, _: _LEFT_OUT if Path(at) == module else ())
    for path in (source, *source.rglob("*")):
        path.chmod(path.stat().st_mode | stat.S_IWUSR)
    embed = source / "ui"
    if not (module / "ui" / "embed.go").is_file():
        raise Stop(f"Argo CD {ARGO_CD} has its UI elsewhere\nLook at the module, then at {__file__}")
    (embed / "dist" / "app").mkdir(parents=True)
    shutil.copyfile(module / "ui" / "embed.go", embed / "embed.go")
    (embed / "dist" / "app" / "index.html").write_text("no UI here\n")
    return source


def _build(source: Path) -> None:
    """Politely: it shares the machine. The program appears when it is whole."""
    folder().mkdir(parents=True, exist_ok=True)
    half = binary().with_suffix(".building")
    stamp = f"-s -w -X {_MODULE}/common.version={ARGO_CD.removeprefix('v')}"
    run(
        ["nice", "-n", "10", "go", "build", "-p", "2", "-trimpath", "-ldflags", stamp, "-o", half, "./cmd"],
        cwd=source,
        env={**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -buildvcs=false"},
        cure=GO,
        deadline=7200,
    )
    half.replace(binary())

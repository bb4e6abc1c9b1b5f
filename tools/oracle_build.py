"""Builds a real Kubernetes for `tools.oracle`: kube-apiserver, kube-controller-manager, kubectl and etcd, out of the Go
module registry, into a cache folder outside the repository.

`go install` refuses a module whose go.mod has replacements, and Kubernetes' has one for each of its libraries. So a module of
our own requires it and repeats the replacements with their published versions.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tools.steps import Stop, run, step

KUBERNETES, LIBRARIES, ETCD = "v1.36.3", "v0.36.3", "v3.7.3"
SETTING = "ARGOSY_ORACLE"
GO = "Go builds the oracle: apt-get install golang, or https://go.dev/dl"
_LIBRARY = re.compile(r"^\t(k8s\.io/[\w-]+) => \./staging/", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    name: str
    package: str
    module: str
    flags: str


def _stamp() -> str:
    """What the linker writes into Kubernetes' programs: a released version has no commit and no date here."""
    major, minor, _ = KUBERNETES.removeprefix("v").split(".")
    values = {"gitVersion": KUBERNETES, "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    return " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in values.items())


PROGRAMS = (
    Program("etcd", "go.etcd.io/etcd/server/v3", "etcd", ""),
    *(
        Program(name, f"k8s.io/kubernetes/cmd/{name}", "kubernetes", _stamp())
        for name in ("kube-apiserver", "kube-controller-manager", "kubectl")
    ),
)


def home() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get(SETTING) or cache / "argosy" / "oracle")


def binary(name: str) -> Path:
    return home() / KUBERNETES / name


def missing() -> list[Program]:
    return [program for program in PROGRAMS if not binary(program.name).is_file()]


def build() -> None:
    """Nothing when all are there. The first time takes a quarter of an hour on two cores, and 3 GB of Go's caches."""
    if not (wanted := missing()):
        print(f"  the oracle is built: {home() / KUBERNETES}")
        return
    with step("module files"):
        _write_modules()
    for program in wanted:
        with step(f"building {program.name} from {program.package}"):
            _build(program)


def said_by(source: Path, told: str) -> bytes:
    """Builds a program of ours beside Kubernetes' packages, and answers what it says when it is told this."""
    folder, program = home() / "modules" / "kubernetes", home() / source.stem
    if not (folder / "go.mod").exists():
        _write_modules()
    run(["go", "build", "-mod=mod", "-p", "2", "-o", program, source], cwd=folder, cure=GO, deadline=7200)
    done = subprocess.run([program], input=told.encode(), capture_output=True, check=False, timeout=60)
    if done.returncode != 0:
        raise Stop(f"{source.name}: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def _write_modules() -> None:
    home().mkdir(parents=True, exist_ok=True)
    told = run(["go", "mod", "download", "-json", f"k8s.io/kubernetes@{KUBERNETES}"], cwd=home(), cure=GO)
    upstream = Path(json.loads(told[told.index("{") :])["GoMod"]).read_text()
    for name, content in (("etcd", etcd_module()), ("kubernetes", kubernetes_module(upstream))):
        folder = home() / "modules" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "go.mod").write_text(content)


def etcd_module() -> str:
    return f"module oracle\n\ngo 1.26.0\n\nrequire go.etcd.io/etcd/server/v3 {ETCD}\n"


def kubernetes_module(upstream: str) -> str:
    """Requires Kubernetes, and replaces what its own go.mod (`upstream`) replaces, by what was published."""
    libraries = _LIBRARY.findall(upstream)
    if not libraries:
        raise Stop(
            f"Kubernetes {KUBERNETES} replaces no libraries any more\nLook at its go.mod, then at {__file__}"
        )
    replaced = "".join(f"\t{name} => {name} {LIBRARIES}\n" for name in libraries)
    return f"module oracle\n\ngo 1.26.0\n\nrequire k8s.io/kubernetes {KUBERNETES}\n\nreplace (\n{replaced})\n"


def _build(program: Program) -> None:
    """Two at a time and politely: it shares the machine. The binary appears when it is whole."""
    target = binary(program.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".building")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -buildvcs=false"}
    command = [
        "nice",
        "-n",
        "10",
        "go",
        "build",
        "-p",
        "2",
        "-trimpath",
        "-ldflags",
        f"-s -w {program.flags}",
    ]
    run(
        [*command, "-o", half, program.package],
        cwd=home() / "modules" / program.module,
        env=environment,
        cure=GO,
        deadline=7200,
    )
    half.replace(target)

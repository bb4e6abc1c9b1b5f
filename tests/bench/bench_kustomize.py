"""Rendering one typical overlay (ten objects, one base), beside the real kustomize where that is built.

Target: 3 ms when its files were read before, which is how a renderer spends its life; `cold` parses every file anew.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from argosy.manifests.kustomize import build, documents, reading
from tests.trees import Folder
from tools import oracle_kustomize

ROUNDS = 300
_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web{n}
  labels:
    app: web{n}
spec:
  replicas: 1
  selector:
    matchLabels:
      app: web{n}
  template:
    metadata:
      labels:
        app: web{n}
    spec:
      serviceAccountName: robot
      containers:
      - name: web
        image: nginx:1.2
        ports:
        - containerPort: 8080
          name: http
        env:
        - name: A
          value: "b"
        envFrom:
        - configMapRef:
            name: settings
        resources:
          limits:
            cpu: 100m
            memory: 128Mi
        livenessProbe:
          httpGet:
            path: /healthz
            port: http
"""
_SERVICE = """apiVersion: v1
kind: Service
metadata:
  name: web{n}
spec:
  selector:
    app: web{n}
  ports:
  - port: 80
    targetPort: http
"""
_BASE = """configMapGenerator:
- name: settings
  literals: [a=b]
- name: other
  literals: [a=b]
"""
_OVERLAY = """resources: [../base]
namespace: prod
namePrefix: prod-
labels:
- pairs: {env: prod}
  includeSelectors: true
images:
- name: nginx
  newTag: "2"
replicas:
- name: web0
  count: 3
patches:
- path: patch.yaml
"""
_PATCH = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: web1
spec:
  template:
    spec:
      containers:
      - name: web
        env:
        - name: B
          value: c
"""


def run() -> list[tuple[str, str, str]]:
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        _write(root)
        tree = Folder(root)

        def cold() -> None:
            documents.forget()
            reading.kustomization.cache_clear()
            build(tree, "overlay")

        warm = _median(lambda: build(tree, "overlay"), ROUNDS)
        return [
            ("kustomize: an overlay of 10 objects, warm", f"{warm:.1f} ms", "≤ 3 ms"),
            ("kustomize: the same, cold", f"{_median(cold, ROUNDS // 3):.1f} ms", ""),
            ("kustomize: the same, the real kustomize", _real(root), ""),
        ]


def _write(root: Path) -> None:
    files = {f"base/d{n}.yaml": _DEPLOYMENT.format(n=n) for n in range(4)}
    files |= {f"base/s{n}.yaml": _SERVICE.format(n=n) for n in range(4)}
    names = "".join(f"- {Path(name).name}\n" for name in files)
    files["base/kustomization.yaml"] = f"resources:\n{names}{_BASE}"
    files |= {"overlay/kustomization.yaml": _OVERLAY, "overlay/patch.yaml": _PATCH}
    for name, content in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(content)


def _real(root: Path) -> str:
    binary = oracle_kustomize.binary()
    if not binary.is_file():
        return "not built (make oracle)"
    command = [str(binary), "build", str(root / "overlay")]
    took = _median(lambda: subprocess.run(command, capture_output=True, check=True, timeout=60), 15)
    return f"{took:.0f} ms"


def _median(work: Callable[[], object], rounds: int) -> float:
    work()
    took: list[float] = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return statistics.median(took) * 1000

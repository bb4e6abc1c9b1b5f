"""A real kustomize for applications that ask for one: started on a copy of the repository, with everything that it could reach taken away.

It gets an environment with nothing in it: no programs to start (so no Git and no Helm), no way out for HTTP, a home of its own. What an Application edits is
written into the copy's kustomization file, as Argo CD does. Whoever calls isolates further; rendering happens in worker processes.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import many_old_yaml
from argosy.manifests.kustomize.edits import NO_EDITS, Edits, edited
from argosy.manifests.kustomize.kustomization import Kustomization
from argosy.manifests.kustomize.located import in_file
from argosy.manifests.kustomize.reading import kustomization
from argosy.manifests.kustomize.roots import Budget, Root
from argosy.manifests.tree import Form, MissingPath, SourceError

_NOWHERE = "http://127.0.0.1:1"
_MOST_WORDS = 2000  # of what it says when it fails
_READ_AT_ONCE = 65536


@dataclass(frozen=True, slots=True)
class Limits:
    seconds: float = 60.0
    output: int = 64 * 1024 * 1024


DEFAULT_LIMITS = Limits()


def build_with(
    binary: Path,
    folder: Path,
    path: str,
    *,
    edits: Edits = NO_EDITS,
    options: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
) -> list[Object]:
    """`folder` is a copy of the repository that may be changed; `path` the kustomization in it. Raises `SourceError`."""
    if edits:
        _write_edits(folder, path, edits)
    with tempfile.TemporaryDirectory() as home:
        output = _run([str(binary), "build", str(folder / path), *options], folder, home, limits)
    return many_old_yaml(output)


def _write_edits(folder: Path, path: str, edits: Edits) -> None:
    root = Root(_Folder(folder), path, Budget())
    file, text = root.kustomization()
    with in_file(f"{path}/{file}".lstrip("/")):
        changed = edited(kustomization(text), edits, root)
    (folder / path / file).write_text(as_yaml(changed))


def as_yaml(kustomization: Kustomization) -> str:
    """JSON is YAML in which every version reads the same."""
    return json.dumps(msgspec.to_builtins(kustomization), indent=1, ensure_ascii=False) + "\n"


def environment(home: str) -> dict[str, str]:
    return {
        "HOME": home,
        "TMPDIR": home,
        "PATH": "",
        "GIT_ALLOW_PROTOCOL": "none",
        "HTTP_PROXY": _NOWHERE,
        "HTTPS_PROXY": _NOWHERE,
        "http_proxy": _NOWHERE,
        "https_proxy": _NOWHERE,
    }


def _run(command: Sequence[str], folder: Path, home: str, limits: Limits) -> str:
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment(home),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                start_new_session=True,
            )
        except OSError as error:
            raise SourceError(f"kustomize cannot be started: {command[0]}: {error.strerror}") from error
        try:
            output = _read(process, limits)
        finally:
            _end(process)
        if process.returncode != 0:
            said.seek(0)
            raise SourceError(_words(said.read(1 << 20).decode(errors="replace"), folder))
    return output.decode(errors="replace")


def _read(process: subprocess.Popen[bytes], limits: Limits) -> bytes:
    ends = time.monotonic() + limits.seconds
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while True:
        ready, _, _ = select.select([process.stdout], [], [], max(ends - time.monotonic(), 0))
        if not ready:
            raise SourceError(f"kustomize build was stopped: it took longer than {limits.seconds:g} s")
        part = os.read(process.stdout.fileno(), _READ_AT_ONCE)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > limits.output:
            raise SourceError(f"kustomize build was stopped: its output is larger than {limits.output} bytes")
    try:
        process.wait(max(ends - time.monotonic(), 0.1))
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"kustomize build was stopped: it took longer than {limits.seconds:g} s") from error
    return b"".join(parts)


def _end(process: subprocess.Popen[bytes]) -> None:
    """With all that it may have started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _words(said: str, folder: Path) -> str:
    lines = [line for line in said.splitlines() if not line.startswith("# Warning")]
    text = "\n".join(lines).replace(f"{folder}/", "").replace(str(folder), ".").strip()
    return text[:_MOST_WORDS] or "kustomize build failed and said nothing"


@dataclass(frozen=True, slots=True)
class _Folder:
    """The copy as a tree. It holds nothing that leads out of it."""

    root: Path

    def form(self, path: str) -> Form | None:
        found = self.root / path
        return "folder" if found.is_dir() else "file" if found.is_file() else None

    def read(self, path: str) -> bytes:
        found = self.root / path
        if not found.resolve().is_relative_to(self.root.resolve()):
            raise SourceError(f"'{path}' leads out of the repository")
        try:
            return found.read_bytes()
        except OSError as error:
            raise MissingPath(path) from error

    def names(self, path: str) -> list[str]:
        return sorted(os.listdir(self.root / path))

    def digest(self, path: str) -> str:
        return path

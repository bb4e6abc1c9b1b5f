"""A real kustomize for applications that ask for one: started on a copy of the repository, with everything that it could reach taken away.

It gets an environment with nothing in it: no programs to start (so no Git and no Helm), no way out for HTTP, a home of its own. What an Application edits is
written into the copy's kustomization file, as Argo CD does. Whoever calls isolates further; rendering happens in worker processes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from argosy.kube.objects import Object
from argosy.manifests.folder import FolderTree
from argosy.manifests.kustomize.documents import many_old_yaml
from argosy.manifests.kustomize.edits import NO_EDITS, Edits, edited
from argosy.manifests.kustomize.kustomization import Kustomization
from argosy.manifests.kustomize.located import in_file
from argosy.manifests.kustomize.reading import kustomization
from argosy.manifests.kustomize.roots import Budget, Root
from argosy.manifests.programs import DEFAULT_LIMITS, Limits, ProgramFailed, run
from argosy.manifests.tree import SourceError

_NOWHERE = "http://127.0.0.1:1"
_MOST_WORDS = 2000  # of what it says when it fails


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
    command = [str(binary), "build", str(folder / path), *options]
    with tempfile.TemporaryDirectory() as home:
        try:
            output = run(
                command, name="kustomize", folder=folder, environment=environment(home), limits=limits
            )
        except ProgramFailed as error:
            raise SourceError(_words(error.said, folder)) from error
    return many_old_yaml(output.decode(errors="replace"))


def _write_edits(folder: Path, path: str, edits: Edits) -> None:
    root = Root(FolderTree(folder), path, Budget())
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


def _words(said: str, folder: Path) -> str:
    lines = [line for line in said.splitlines() if not line.startswith("# Warning")]
    text = "\n".join(lines).replace(f"{folder}/", "").replace(str(folder), ".").strip()
    return text[:_MOST_WORDS] or "kustomize build failed and said nothing"

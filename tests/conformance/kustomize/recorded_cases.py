"""The cases: a folder each, with a kustomization, and what the real kustomize made of it.

`overlay/` is built where there is one, else the folder itself. `edits.yaml` says what an Application would (`source.kustomize`), `options.txt` what
`kustomize.buildOptions` would. Recorded by `python -m tools.oracle kustomize`: `expected.yaml`, or `error.yaml` with upstream's words and,
under `says`, those of them that ours must have too.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from argosy.kube.objects import Object
from argosy.manifests.kustomize import Edits, Options, build
from argosy.manifests.kustomize.documents import many_old_yaml
from argosy.manifests.tree import SourceError
from tests.trees import Folder

CASES = Path(__file__).parent / "cases"
RESERVED = ("expected.yaml", "error.yaml", "edits.yaml", "options.txt")
_ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


@dataclass(frozen=True)
class Answer:
    """YAML, or an error."""

    output: str
    error: str = ""


@dataclass(frozen=True)
class Case:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def path(self) -> str:
        return "overlay" if (self.folder / "overlay").is_dir() else ""

    @property
    def edits(self) -> dict[str, Any]:
        file = self.folder / "edits.yaml"
        found: dict[str, Any] = yaml.safe_load(file.read_text()) if file.exists() else {}
        return found

    @property
    def flags(self) -> list[str]:
        file = self.folder / "options.txt"
        return file.read_text().split() if file.exists() else []

    def built(self) -> list[Object]:
        return build(
            Folder(self.folder),
            self.path,
            edits=edits(self.edits),
            options=Options.read(" ".join(self.flags)),
        )

    def error(self) -> str:
        """Ours. Empty: there is none."""
        try:
            self.built()
        except SourceError as error:
            return str(error)
        return ""

    @property
    def expected(self) -> list[Object]:
        return many_old_yaml((self.folder / "expected.yaml").read_text())

    @property
    def fails(self) -> bool:
        return (self.folder / "error.yaml").exists()

    @property
    def says(self) -> str:
        found: str = yaml.safe_load((self.folder / "error.yaml").read_text())["says"]
        return found

    def recording(self) -> bytes:
        files = (self.folder / name for name in ("expected.yaml", "error.yaml"))
        return b"".join(file.read_bytes() for file in files if file.exists())

    def record(self, answer: Answer) -> None:
        says = self.says if self.fails else ""
        for name in ("expected.yaml", "error.yaml"):
            (self.folder / name).unlink(missing_ok=True)
        if answer.error and not answer.output:
            content = {"upstream": answer.error, "says": says}
            (self.folder / "error.yaml").write_text(yaml.safe_dump(content, sort_keys=False, width=1000))
        else:
            (self.folder / "expected.yaml").write_text(answer.output)

    def copy_to(self, scratch: Path) -> None:
        shutil.copytree(self.folder, scratch, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*RESERVED))

    def commands(self) -> Iterator[list[str]]:
        """As Argo CD starts them."""
        said = self.edits
        for key, name in (("namePrefix", "nameprefix"), ("nameSuffix", "namesuffix")):
            if said.get(key):
                yield ["edit", "set", name, "--", said[key]]
        if said.get("images"):
            yield ["edit", "set", "image", *said["images"]]
        if said.get("replicas"):
            yield ["edit", "set", "replicas", *(f"{one['name']}={one['count']}" for one in said["replicas"])]
        if said.get("commonLabels"):
            flags = {
                "forceCommonLabels": "--force",
                "labelWithoutSelector": "--without-selector",
                "labelIncludeTemplates": "--include-templates",
            }
            yield [
                "edit",
                "add",
                "label",
                *(flag for key, flag in flags.items() if said.get(key)),
                *_pairs(said["commonLabels"]),
            ]
        if said.get("commonAnnotations"):
            force = ["--force"] if said.get("forceCommonAnnotations") else []
            yield ["edit", "add", "annotation", *force, *_pairs(said["commonAnnotations"])]
        if said.get("namespace"):
            yield ["edit", "set", "namespace", "--", said["namespace"]]
        components = said.get("components") or []
        if said.get("ignoreMissingComponents"):
            components = [
                one for one in components if (self.folder / self.path / one / "kustomization.yaml").exists()
            ]
        if components:
            yield ["edit", "add", "component", *components]

    def append_patches(self, folder: Path) -> None:
        """Argo CD does that itself."""
        if patches := self.edits.get("patches"):
            file = folder / "kustomization.yaml"
            content = yaml.safe_load(file.read_text())
            content["patches"] = [*(content.get("patches") or []), *patches]
            file.write_text(yaml.safe_dump(content))


def _pairs(values: dict[str, str]) -> list[str]:
    return [f"{key}:{value}" for key, value in values.items()]


def edits(said: dict[str, Any]) -> Edits:
    names = {
        "".join("_" + one.lower() if one.isupper() else one for one in key): value
        for key, value in said.items()
    }
    if "replicas" in names:
        names["replicas"] = {one["name"]: one["count"] for one in names["replicas"]}
    return Edits(**names)


def load() -> list[Case]:
    return [Case(folder) for folder in sorted(CASES.iterdir()) if folder.is_dir()]


def said(error: str, scratch: str) -> str:
    """Without stacks and what differs from run to run. Warnings are no errors."""
    told = error.partition("\n\ngoroutine ")[0]  # it has panicked
    lines = [line for line in told.splitlines() if not line.startswith("# Warning")]
    return _ADDRESS.sub("0x…", "\n".join(lines).replace(f"{scratch}/", "").replace(scratch, ".")).strip()

"""Where a resource comes from and who changed it: what `buildMetadata` writes into annotations."""

from __future__ import annotations

import posixpath
from typing import NamedTuple

from argosy.manifests.kustomize.scalars import new_text

ORIGIN = "config.kubernetes.io/origin"
TRANSFORMATIONS = "alpha.config.kubernetes.io/transformations"


class Origin(NamedTuple):
    path: str = ""
    configured_in: str = ""
    api_version: str = ""
    kind: str = ""
    name: str = ""
    namespace: str = ""

    def below(self, path: str) -> Origin:
        return self._replace(path=_joined(self.path, path))

    def lines(self) -> list[str]:
        pairs = [("path", self.path), ("configuredIn", self.configured_in)]
        by = [
            ("apiVersion", self.api_version),
            ("kind", self.kind),
            ("name", self.name),
            ("namespace", self.namespace),
        ]
        lines = [f"{key}: {_shown(value)}" for key, value in pairs if value]
        if self.kind or self.api_version:
            lines += ["configuredBy:", *(f"  {key}: {_shown(value)}" for key, value in by if value)]
        return lines

    def text(self) -> str:
        return "\n".join([*self.lines(), ""]) if self.lines() else "{}\n"


NOWHERE = Origin()


def configured(
    at: Origin, file: str, api_version: str, kind: str, name: str = "", namespace: str = ""
) -> Origin:
    """Made or changed by something that a kustomization file says."""
    return Origin("", _joined(at.path, file), api_version, kind, name, namespace)


def transformations_text(origins: list[Origin]) -> str:
    lines: list[str] = []
    for origin in origins:
        first, *rest = origin.lines() or ["{}"]
        lines += [f"- {first}", *(f"  {line}" for line in rest)]
    return "\n".join([*lines, ""])


def _joined(folder: str, path: str) -> str:
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _shown(value: str) -> str:
    return value if type(new_text(value)) is str else f'"{value}"'

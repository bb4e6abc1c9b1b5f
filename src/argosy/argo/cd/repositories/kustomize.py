"""What `argocd-cm` says of Kustomize: options for all, and versions (binaries) that applications may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from argosy.argo.cd.rendering import RenderError
from argosy.contracts.argo.source import Source

_OPTIONS = "kustomize.buildOptions"
_PATHS = ("kustomize.path.", "kustomize.version.")


@dataclass(frozen=True, slots=True)
class KustomizeSettings:
    options: str = ""
    options_of: Mapping[str, str] = field(default_factory=dict)
    paths: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, texts: Mapping[str, str]) -> KustomizeSettings:
        return cls(
            texts.get(_OPTIONS, ""),
            {key.removeprefix(f"{_OPTIONS}."): text for key, text in texts.items() if key.startswith(f"{_OPTIONS}.")},
            {
                key.removeprefix(prefix): path
                for prefix in _PATHS
                for key, path in texts.items()
                if key.startswith(prefix)
            },
        )  # fmt: skip

    def of(self, source: Source) -> tuple[str, str]:
        """The binary (empty: the built-in one) and the options. Raises `RenderError`."""
        version = source.kustomize.version if source.kustomize is not None else ""
        if not version:
            return "", self.options
        if version not in self.paths:
            raise RenderError(
                f"kustomize version {version} is not registered; an administrator sets kustomize.path.{version} in argocd-cm"
            )
        return self.paths[version], self.options_of.get(version, self.options)

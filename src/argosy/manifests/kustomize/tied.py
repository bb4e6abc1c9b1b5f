"""Mappings that share values: an oddity of upstream that manifests can depend on.

A label or annotation that a transformer adds in several places of one resource is one YAML node there. When something changes it in one place later (a patch
in an overlay, another transformer), it changes in all. Taken out and added again, it is on its own; so it is after a JSON patch, which makes everything anew.
"""

from __future__ import annotations

from typing import Any


class Tied(dict[str, Any]):
    """A mapping that tells its fellows when a value that they share is changed."""

    __slots__ = ("fellows",)

    def __init__(self, mapping: dict[str, Any]) -> None:
        super().__init__(mapping)
        self.fellows: dict[str, list[Tied]] = getattr(mapping, "fellows", {})

    def tie(self, key: str, fellows: list[Tied]) -> None:
        fellows.append(self)
        self.fellows[key] = fellows

    def __setitem__(self, key: str, value: Any) -> None:
        if key in self:
            for one in self.fellows.get(key, ()):
                dict.__setitem__(one, key, value)
        super().__setitem__(key, value)

    def pop(self, key: str, *default: Any) -> Any:
        fellows = self.fellows.pop(key, [])
        fellows[:] = [one for one in fellows if one is not self]
        return super().pop(key, *default)

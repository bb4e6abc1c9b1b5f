"""The Lua of argocd-cm: `resource.customizations` with all kinds in one document, and one key for each kind, which goes first.

What cannot be read is kept as a problem and takes nothing else with it. `assessment.py` runs the health scripts, `argo/cd/actions` the others;
what the same keys say of differences is read by the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from argosy.domain import globs
from argosy.kit import yaml
from argosy.kit.errors import ArgosyError
from argosy.kube.objects import Object

CUSTOMIZATIONS: Final = "resource.customizations"
_TRUE, _FALSE = (
    frozenset({"1", "t", "T", "TRUE", "true", "True"}),
    frozenset({"0", "f", "F", "FALSE", "false", "False"}),
)
_OF_THE_COMPARISON = frozenset({"ignoreDifferences", "ignoreResourceUpdates", "knownTypeFields"})


@dataclass(frozen=True, slots=True)
class Actions:
    """`definitions` are scripts by the action's name."""

    discovery: str = ""
    definitions: Mapping[str, str] = field(default_factory=dict)
    merged: bool = False  # with the built-in ones


@dataclass(frozen=True, slots=True)
class Script:
    health: str = ""
    open_libs: bool = False
    actions: Actions | None = None


@dataclass(slots=True)
class Scripts:
    of_kind: dict[str, Script] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, settings: Mapping[str, str]) -> Scripts:
        """`settings` is the data of argocd-cm."""
        scripts = cls()
        scripts._read_document(settings.get(CUSTOMIZATIONS) or "")
        for key in sorted(settings):
            if key.startswith(f"{CUSTOMIZATIONS}."):
                scripts._read_key(key, settings[key])
        return scripts

    def health_of(self, key: str) -> Script | None:
        """The exact kind goes first, then the first pattern that has a health script."""
        exact = self.of_kind.get(key)
        if exact is not None and exact.health:
            return exact
        return next(
            (script for pattern, script in self._wild() if script.health and globs.matches(pattern, key)),
            None,
        )

    def actions_of(self, key: str) -> Actions | None:
        """Patterns are not asked, as in Argo CD."""
        script = self.of_kind.get(key)
        return script.actions if script else None

    def _wild(self) -> Iterator[tuple[str, Script]]:
        return ((pattern, script) for pattern, script in self.of_kind.items() if set("*?[{") & set(pattern))

    def _read_document(self, text: str) -> None:
        for key, entry in self._loaded(text, CUSTOMIZATIONS).items():
            if not isinstance(entry, dict):
                self.problems.append(f"{CUSTOMIZATIONS}: {key} is no map of customizations")
                continue
            self.of_kind[str(key)] = Script(
                health=str(entry.get("health.lua") or ""),
                open_libs=entry.get("health.lua.useOpenLibs") is True,
                actions=self._actions(entry.get("actions"), f"{CUSTOMIZATIONS}: {key}"),
            )

    def _read_key(self, key: str, value: str) -> None:
        what, _, kind = key.removeprefix(f"{CUSTOMIZATIONS}.").partition(".")
        if not kind:
            return
        parts = kind.split("_")
        if len(parts) > 2:
            self.problems.append(f"{key}: a kind is written as group_Kind, or as Kind for the core group")
            return
        kind = "*/*" if kind == "all" else "/".join(parts)
        known = self.of_kind.get(kind, Script())
        if what == "health":
            self.of_kind[kind] = replace(known, health=value)
        elif what == "useOpenLibs" and value in _TRUE | _FALSE:
            self.of_kind[kind] = replace(known, open_libs=value in _TRUE)
        elif what == "useOpenLibs":
            self.problems.append(f"{key}: {value!r} is neither true nor false")
        elif what == "actions":
            self.of_kind[kind] = replace(known, actions=self._actions(value, key))
        elif what not in _OF_THE_COMPARISON:
            self.problems.append(f"{key}: resource customization type {what} not supported")

    def _actions(self, text: object, where: str) -> Actions | None:
        if not text:
            return None
        read = self._loaded(text if isinstance(text, str) else "", f"{where}: actions")
        listed = read.get("definitions")
        definitions = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        return Actions(
            discovery=str(read.get("discovery.lua") or ""),
            definitions={str(one.get("name")): str(one.get("action.lua") or "") for one in definitions},
            merged=read.get("mergeBuiltinActions") is True,
        )

    def _loaded(self, text: str, where: str) -> Object:
        if not text.strip():
            return {}
        try:
            loaded = yaml.load(text.encode(), what=where)
        except ArgosyError as error:
            self.problems.append(f"{where}: {error.message}")
            return {}
        if isinstance(loaded, dict):
            return loaded
        self.problems.append(f"{where}: a map is expected")
        return {}

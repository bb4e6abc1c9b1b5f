"""Kubeconfigs as people have them: one file, or several that count as one. `connecting` makes clients of what is chosen here.

Merged as `kubectl` merges: of two entries with the same name, and of two current contexts, the first counts. A relative path begins
where its own file lies.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from argosy.kit import yaml
from argosy.kit.errors import BadRequest
from argosy.kube.objects import Object

_DEFAULT = Path(".kube") / "config"


@dataclass(frozen=True, slots=True)
class Entry:
    """What one file says of a cluster, a user or a context."""

    said: Object
    base: Path

    def text(self, name: str) -> str:
        return str(self.said.get(name) or "")

    def content(self, name: str) -> bytes:
        """From the entry itself, or from the file that it names."""
        try:
            if data := self.said.get(f"{name}-data"):
                return base64.b64decode(data, validate=True)
            return (self.base / self.said[name]).read_bytes() if self.said.get(name) else b""
        except (binascii.Error, ValueError) as error:
            raise wrong(f"the kubeconfig's {name}-data is not base64") from error
        except OSError as error:
            raise wrong(f"the kubeconfig's {name} cannot be read: {error.strerror}") from error


@dataclass(slots=True)
class Kubeconfig:
    contexts: dict[str, Entry] = field(default_factory=dict)
    clusters: dict[str, Entry] = field(default_factory=dict)
    users: dict[str, Entry] = field(default_factory=dict)
    current: str = ""

    def chosen(self, context: str = "") -> tuple[Entry, Entry, Entry]:
        """The context, its cluster and its user."""
        found = _named(self.contexts, "context", context or self.current)
        cluster = _named(self.clusters, "cluster", found.text("cluster"))
        user = found.text("user")
        return found, cluster, _named(self.users, "user", user) if user else Entry({}, found.base)


def from_object(config: object, base: Path = Path()) -> Kubeconfig:
    if not isinstance(config, dict):
        raise wrong("the kubeconfig is not a mapping")
    return Kubeconfig(
        _entries(config, "context", base),
        _entries(config, "cluster", base),
        _entries(config, "user", base),
        str(config.get("current-context") or ""),
    )


def from_files(paths: Sequence[Path]) -> Kubeconfig:
    merged = Kubeconfig()
    for path in paths:
        one = from_object(yaml.load(path.read_bytes(), what=str(path)), path.parent)
        merged.contexts = one.contexts | merged.contexts
        merged.clusters = one.clusters | merged.clusters
        merged.users = one.users | merged.users
        merged.current = merged.current or one.current
    return merged


def files_of(environment: Mapping[str, str]) -> list[Path]:
    """Those of `KUBECONFIG` that exist, each once, else the one in the home folder."""
    named = list(dict.fromkeys(filter(None, environment.get("KUBECONFIG", "").split(os.pathsep))))
    looked = [Path(one) for one in named] or [Path(environment.get("HOME") or Path.home()) / _DEFAULT]
    if found := [path for path in looked if path.is_file()]:
        return found
    raise BadRequest(
        f"there is no kubeconfig: looked for {', '.join(map(str, looked))}",
        code="kube.kubeconfig",
        cure="set KUBECONFIG to where it is",
    )


def wrong(what: str, *, cure: str = "") -> BadRequest:
    return BadRequest(what, code="kube.kubeconfig", cure=cure)


def _entries(config: Object, what: str, base: Path) -> dict[str, Entry]:
    listed = config.get(f"{what}s") or []
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise wrong(f"the kubeconfig's {what}s are not a list of mappings")
    found: dict[str, Entry] = {}
    for one in listed:
        said = one.get(what) or {}
        if not isinstance(said, dict):
            raise wrong(f"the kubeconfig's {what} {str(one.get('name'))!r} is not a mapping")
        found.setdefault(str(one.get("name")), Entry(said, base))
    return found


def _named(entries: Mapping[str, Entry], what: str, name: str) -> Entry:
    if name not in entries:
        raise wrong(f"the kubeconfig has no {what} {name!r}", cure=f"{what}s: {', '.join(entries) or 'none'}")
    return entries[name]

"""Where one embedded cluster lies in the data directory: its port, its journal, its keys, its kubeconfig."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from argosy.host.paths import DataDir
from argosy.kit.errors import BadRequest, Conflict, Internal, NotFound

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?")


class Settings(msgspec.Struct, frozen=True):
    port: int
    """Kept over restarts, so that kubeconfigs that people copied stay good."""
    created: str
    hosts: list[str] | None = None
    """The host names that its Ingresses may take, as the operator chose them; None: what the installation takes for harmless."""
    own_paths: bool = True
    """Whether Ingresses without a host are served under the platform's own name."""


@dataclass(frozen=True, slots=True)
class Home:
    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def objects(self) -> Path:
        return self.folder / "objects.db"

    @property
    def keys(self) -> Path:
        return self.folder / "pki"

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    def plain_files(self) -> dict[Path, bytes]:
        """Who it is: all but what it holds. A hidden one is an unfinished draft."""
        found = {}
        for path in (self._settings, self.kubeconfig, *sorted(self.keys.glob("[!.]*"))):
            with suppress(FileNotFoundError):  # it is just being deleted
                found[path] = path.read_bytes()
        return found

    def settings(self) -> Settings:
        try:
            return msgspec.json.decode(self._settings.read_bytes(), type=Settings)
        except msgspec.MsgspecError as error:
            raise Internal(
                f"{self._settings} cannot be read: {error}",
                code="kube.settings",
                cure="restore it from a backup; the cluster's objects beside it are untouched",
            ) from error

    def keep(self, settings: Settings) -> None:
        self._write(self._settings, msgspec.json.encode(settings))

    def write_kubeconfig(self, text: str) -> None:
        self._write(self.kubeconfig, text.encode())

    def remove(self) -> None:
        """Renamed first: half a deletion must not look like a cluster."""
        grave = self.folder.with_name(f".{self.name}.deleted")
        shutil.rmtree(grave, ignore_errors=True)
        self.folder.rename(grave)
        shutil.rmtree(grave)

    @property
    def _settings(self) -> Path:
        return self.folder / "cluster.json"

    def _write(self, path: Path, content: bytes) -> None:
        draft = path.with_name(f".{path.name}.new")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        draft.rename(path)


def homes(data: DataDir) -> list[Home]:
    if not data.clusters.exists():
        return []
    found = (Home(folder) for folder in sorted(data.clusters.iterdir()) if not folder.name.startswith("."))
    return [one for one in found if (one.folder / "cluster.json").exists()]


def home(data: DataDir, name: str) -> Home:
    """Of a cluster that there is."""
    check_name(name)
    found = Home(data.clusters / name)
    if not (found.folder / "cluster.json").exists():
        known = ", ".join(one.name for one in homes(data)) or "none"
        raise NotFound(
            f"there is no embedded cluster {name!r}",
            code="kube.cluster",
            cure=f"clusters: {known}; make one with: argosy kube create {name}",
        )
    return found


def new_home(data: DataDir, name: str) -> Home:
    check_name(name)
    made = Home(data.clusters / name)
    if (made.folder / "cluster.json").exists():
        raise Conflict(
            f"there is an embedded cluster {name!r} already",
            code="kube.cluster_exists",
            cure=f"use it (argosy kube kubeconfig {name}), or choose another name",
        )
    made.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return made


def check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise BadRequest(
            f"{name[:60]!r} cannot be the name of a cluster",
            code="kube.cluster_name",
            cure="at most 40 lower-case letters, digits and dashes, beginning and ending with a letter or digit",
        )

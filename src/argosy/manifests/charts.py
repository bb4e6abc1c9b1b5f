"""What a chart needs besides itself: the charts it depends on, from its own folder, from beside it, or fetched before.

Runs in a worker, which may fetch nothing: what is missing is asked for with `MissingDependencies`, and the engine gets it.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from argosy.kube.objects import Object
from argosy.manifests.exporting import export
from argosy.manifests.kustomize.documents import old_yaml
from argosy.manifests.tree import SourceError, Tree, inside

_BESIDE = "file://"


class Dependency(msgspec.Struct, frozen=True):
    """As a chart says it. The repository is a URL, `@name` or `alias:name`."""

    name: str
    version: str = ""
    repository: str = ""

    @property
    def key(self) -> str:
        """By which a fetched chart is known."""
        return f"{self.repository}|{self.name}|{self.version}"


class MissingDependencies(SourceError):
    def __init__(self, missing: Sequence[Dependency]) -> None:
        names = ", ".join(f"{one.name} {one.version} of {one.repository or 'nowhere'}" for one in missing)
        super().__init__(f"the chart needs {names}")
        self.missing = list(missing)


def complete(tree: Tree, path: str, chart: Path, fetched: Mapping[str, Path]) -> None:
    """Puts into `charts/` of the copy what the chart in the tree says it needs and does not bring along."""
    missing: list[Dependency] = []
    into = chart / "charts"
    for one in dependencies(tree, path):
        if _is_there(into, one.name):
            continue
        into.mkdir(exist_ok=True)
        if one.repository.startswith(_BESIDE):
            export(tree, _beside(tree, path, one), into / one.name)
        elif one.key in fetched:
            shutil.copyfile(fetched[one.key], into / f"{one.name}-0.tgz")
        else:
            missing.append(one)
    if missing:
        raise MissingDependencies(missing)


def dependencies(tree: Tree, path: str) -> list[Dependency]:
    """With the versions that `Chart.lock` pins, while it is about the same charts."""
    found = [*_said(tree, joined(path, "Chart.yaml")), *_said(tree, joined(path, "requirements.yaml"))]
    if not found:
        return []
    locked = {
        one.name: one
        for name in ("Chart.lock", "requirements.lock")
        for one in _said(tree, joined(path, name))
    }
    return [
        msgspec.structs.replace(one, version=locked[one.name].version) if one.name in locked else one
        for one in found
    ]


def _beside(tree: Tree, path: str, one: Dependency) -> str:
    says = f"{joined(path, 'Chart.yaml')}: {one.name}"
    found = inside(path, one.repository.removeprefix(_BESIDE), says=says)
    if tree.form(joined(found, "Chart.yaml")) != "file":
        raise SourceError(f"{says}: there is no chart at {one.repository} ({found or '.'})")
    return found


def joined(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _said(tree: Tree, where: str) -> Iterator[Dependency]:
    if tree.form(where) != "file":
        return
    said = _mapping(tree.read(where), where).get("dependencies")
    for one in said if isinstance(said, list) else ():
        try:
            found = msgspec.convert(one, Dependency)
        except msgspec.ValidationError as error:
            raise SourceError(f"{where}: dependencies: {error}") from error
        if not _NAME.fullmatch(found.name):
            raise SourceError(f"{where}: dependencies: {found.name!r} is no name of a chart")
        yield found


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def _is_there(charts: Path, name: str) -> bool:
    if not charts.is_dir():
        return False
    packed = re.compile(rf"{re.escape(name)}-v?\d.*\.tgz")
    for one in charts.iterdir():
        if packed.fullmatch(one.name):
            return True
        described = one / "Chart.yaml"
        if described.is_file() and _mapping(described.read_bytes(), str(one.name)).get("name") == name:
            return True
    return False


def _mapping(data: bytes, where: str) -> Object:
    try:
        found = old_yaml(data.decode())
    except (SourceError, UnicodeDecodeError) as error:
        raise SourceError(f"{where}: {error}") from error
    return found if isinstance(found, dict) else {}

"""Charts, rendered by `helm template`: never installed, so there is no release, no lookup, and no difference between install and upgrade.

Runs in a worker. The chart and its values are copied out of the tree into a folder of the job's own; dependencies that are not in the
chart are asked for with `MissingDependencies`, because only the engine may fetch them.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import yaml as pyyaml

from argosy.contracts.argo.source import HelmSource
from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.kube.objects import Object
from argosy.manifests import globs
from argosy.manifests.documents import Rules, from_yaml
from argosy.manifests.environment import Environment
from argosy.manifests.exporting import export
from argosy.manifests.tree import MissingPath, SourceError, Tree, inside

_MOST_OUTPUT = 50 * 1024 * 1024
_LONGEST_NAME = 53
_COMMA = re.compile(r"(?<!\\),")
_API_VERSIONS = re.compile(r"(--api-versions [^ ]+ ?)+")


class MissingDependencies(SourceError):
    """Charts that this one needs and does not bring along."""

    def __init__(self, missing: Sequence[Dependency]) -> None:
        names = ", ".join(f"{one.name} {one.version} of {one.repository or 'nowhere'}" for one in missing)
        super().__init__(f"the chart needs {names}")
        self.missing = list(missing)


class Dependency(msgspec.Struct, frozen=True):
    name: str
    version: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """`program` is helm's binary; `trees` are the other sources that value files may name (`$name/path`); `fetched` has the dependencies by
    their key, as archives."""

    program: str
    name: str
    namespace: str
    folder: Path
    trees: Mapping[str, Tree]
    fetched: Mapping[str, Path]
    kube_version: str = ""
    api_versions: Sequence[str] = ()
    seconds: float = 60.0


def render(
    tree: Tree, path: str, source: HelmSource, environment: Environment, release: Release
) -> list[Object]:
    chart = release.folder / "chart"
    if tree.form(path) != "folder":
        raise MissingPath(f"{path or '.'}: app path does not exist")
    if tree.form(_join(path, "Chart.yaml")) != "file":
        raise SourceError(f"{_join(path, 'Chart.yaml')}: there is no chart in this folder")
    export(tree, path, chart)
    _complete(tree, path, chart, release)
    values = _value_files(tree, path, source, environment, release)
    output = _run(_command(chart, source, environment, release, values, tree, path), release)
    return from_yaml(output, what="helm template")


def key(dependency: Dependency) -> str:
    """By which a fetched chart is known."""
    return f"{dependency.repository}|{dependency.name}|{dependency.version}"


def _complete(tree: Tree, path: str, chart: Path, release: Release) -> None:
    """Puts into `charts/` what the chart says it needs and does not have."""
    missing: list[Dependency] = []
    for one in _dependencies(tree, path):
        if _is_there(chart, one):
            continue
        into = chart / "charts"
        into.mkdir(exist_ok=True)
        if one.repository.startswith("file://"):
            beside = inside(
                path, one.repository.removeprefix("file://"), says=f"{_join(path, 'Chart.yaml')}: {one.name}"
            )
            export(tree, beside, into / one.name)
        elif key(one) in release.fetched:
            (into / f"{one.name}-{one.version}.tgz").write_bytes(release.fetched[key(one)].read_bytes())
        else:
            missing.append(one)
    if missing:
        raise MissingDependencies(missing)


def _dependencies(tree: Tree, path: str) -> list[Dependency]:
    found: list[Dependency] = []
    for name in ("Chart.yaml", "requirements.yaml"):
        where = _join(path, name)
        if tree.form(where) != "file":
            continue
        said = _mapping(tree.read(where), where).get("dependencies")
        for one in said if isinstance(said, list) else ():
            try:
                found.append(msgspec.convert(one, Dependency))
            except msgspec.ValidationError as error:
                raise SourceError(f"{where}: dependencies: {error}") from error
    locked = _join(path, "Chart.lock")
    if found and tree.form(locked) == "file":
        versions = {
            one.get("name"): str(one.get("version"))
            for one in _mapping(tree.read(locked), locked).get("dependencies") or ()
        }
        found = [msgspec.structs.replace(one, version=versions.get(one.name, one.version)) for one in found]
    return found


def _is_there(chart: Path, one: Dependency) -> bool:
    folder = chart / "charts"
    if (folder / one.name / "Chart.yaml").exists():
        return True
    return any(folder.glob(f"{globs_escaped(one.name)}-*.tgz"))


def globs_escaped(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _value_files(
    tree: Tree, path: str, source: HelmSource, environment: Environment, release: Release
) -> list[Path]:
    """Files in the order in which they override each other; what is named explicitly keeps its own place beside patterns."""
    explicit = [_resolved(one, tree, path, environment, release) for one in source.value_files]
    named = {(id(where), place) for where, place in explicit if not globs.is_pattern(place)}
    chosen: list[tuple[Tree, str]] = []
    for text, (where, place) in zip(source.value_files, explicit, strict=True):
        for found in _matching(text, where, place, source, named):
            if (id(where), found) not in {(id(one), other) for one, other in chosen}:
                chosen.append((where, found))
    written: list[Path] = []
    for number, (where, place) in enumerate(chosen):
        file = release.folder / f"values-{number}.yaml"
        file.write_bytes(where.read(place))
        written.append(file)
    if source.values_object is not None or source.values:
        file = release.folder / "values-of-the-application.yaml"
        text = pyyaml.safe_dump(source.values_object) if source.values_object is not None else source.values
        file.write_text(text)
        written.append(file)
    return written


def _matching(
    text: str, where: Tree, place: str, source: HelmSource, named: set[tuple[int, str]]
) -> list[str]:
    if not globs.is_pattern(place):
        if where.form(place) == "file":
            return [place]
        if source.ignore_missing_value_files:
            return []
        raise SourceError(f"error resolving value file path: {text}: there is no such file at {place}")
    try:
        pattern = globs.compiled(place, crosses=False)
    except (ValueError, re.error) as error:
        raise SourceError(f"spec.source.helm.valueFiles: {error}") from error
    start = re.split(r"[*?\[]", place)[0].rpartition("/")[0]
    found = [one for one in _below(where, start) if pattern.match(one) and (id(where), one) not in named]
    if not found and not source.ignore_missing_value_files:
        raise SourceError(f"error resolving value file path: the pattern {text} matches no file")
    return found


def _below(tree: Tree, path: str) -> list[str]:
    if tree.form(path) != "folder":
        return []
    found: list[str] = []
    for name in tree.names(path):
        one = _join(path, name)
        found += _below(tree, one) if tree.form(one) == "folder" else [one]
    return found


def _resolved(
    text: str, tree: Tree, path: str, environment: Environment, release: Release
) -> tuple[Tree, str]:
    """The tree that has the file, and where it is in it."""
    reference, _, rest = text.partition("/")
    if reference.startswith("$") and reference[1:] in release.trees:
        where = release.trees[reference[1:]]
        return where, inside("", environment.substitute(rest), says=text)
    plain = environment.substitute(text)
    if "://" in plain:
        raise SourceError(
            f"error resolving value file path: {plain}: value files are not fetched from elsewhere; put the file into a "
            "repository and name that as another source with ref"
        )
    return tree, inside(path, plain, says=f"value file {text}")


def _command(
    chart: Path,
    source: HelmSource,
    environment: Environment,
    release: Release,
    values: Sequence[Path],
    tree: Tree,
    path: str,
) -> list[str]:
    name = source.release_name or release.name
    if len(name) > _LONGEST_NAME:
        raise SourceError(
            f"release name {name!r} is longer than {_LONGEST_NAME} characters; set spec.source.helm.releaseName"
        )
    command = [release.program, "template", str(chart), "--name-template", name]
    command += ["--namespace", source.namespace or release.namespace or "default"]
    if version := source.kube_version or release.kube_version:
        command += ["--kube-version", version]
    for one in source.parameters:
        flag = "--set-string" if one.force_string else "--set"
        command += [flag, f"{one.name}={_escaped(environment.substitute(one.value))}"]
    for number, given in enumerate(source.file_parameters):
        where, place = _resolved(given.path, tree, path, environment, release)
        file = release.folder / f"parameter-{number}"
        file.write_bytes(where.read(place))
        command += ["--set-file", f"{given.name}={file}"]
    for file in values:
        command += ["--values", str(file)]
    for version in source.api_versions or release.api_versions:
        command += ["--api-versions", version]
    if not source.skip_crds:
        command.append("--include-crds")
    if source.skip_schema_validation:
        command.append("--skip-schema-validation")
    if source.skip_tests:
        command.append("--skip-tests")
    return command


def _run(command: Sequence[str], release: Release) -> bytes:
    home = release.folder / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "TMPDIR": str(home),
        "LC_ALL": "C.UTF-8",
    }
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=release.seconds,
        check=False,
        env=environment,
        cwd=release.folder,
    )
    if done.returncode:
        raise SourceError(
            f"`helm template` failed: {_readable(done.stderr.decode(errors='replace'), release)}"
        )
    if len(done.stdout) > _MOST_OUTPUT:
        raise SourceError(f"the chart renders to more than {_MOST_OUTPUT // 2**20} MB")
    return done.stdout


def _readable(said: str, release: Release) -> str:
    """Without the folders of this machine."""
    text = said.replace(f"{release.folder}/chart/", "").replace(str(release.folder), ".")
    text = _API_VERSIONS.sub("", text)
    return text.strip().removeprefix("Error: ")[:4000]


def _escaped(value: str) -> str:
    """A comma would begin another parameter, but inside of a list."""
    return value if value.startswith("{") and value.endswith("}") else _COMMA.sub(r"\\,", value)


def _mapping(data: bytes, where: str) -> Object:
    try:
        documents = yaml_documents.documents(data, Rules(), what=where)
    except BadRequest as error:
        raise SourceError(f"{where}: {error.message}") from error
    return documents[0] if documents and isinstance(documents[0], dict) else {}


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name

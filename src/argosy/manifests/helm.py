"""Charts, rendered by `helm template`: never installed, so there is no release, no lookup, and no difference between install and upgrade.

Runs in a worker. The chart and its values are copied out of the tree into a folder of the job's own; `charts` completes the copy, `value_files` chooses
the values.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from argosy.contracts.argo.source import HelmSource
from argosy.kube.objects import Object
from argosy.manifests.charts import complete, joined
from argosy.manifests.documents import from_yaml
from argosy.manifests.environment import Environment
from argosy.manifests.exporting import export
from argosy.manifests.programs import Limits, ProgramFailed, run
from argosy.manifests.tree import MissingPath, SourceError, Tree
from argosy.manifests.value_files import Places, chosen

_MOST_OUTPUT = 50 * 1024 * 1024
_MOST_WORDS = 4000
_LONGEST_NAME = 53
_COMMA = re.compile(r"(?<!\\),")
_API_VERSIONS = re.compile(r"(--api-versions [^ ]+ ?)+")
_KUBE_VERSION = re.compile(r"\s*v?(\d+(?:\.\d+)+).*", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """`program` is helm's binary; `trees` are the other sources that value files may name; `fetched` has dependencies by their key, packed."""

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
    if tree.form(path) != "folder":
        raise MissingPath(f"{path or '.'}: app path does not exist")
    if tree.form(joined(path, "Chart.yaml")) != "file":
        raise SourceError(f"{joined(path, 'Chart.yaml')}: there is no chart in this folder")
    chart = release.folder / "chart"
    export(tree, path, chart)
    complete(tree, path, chart, release.fetched)
    for lock in ("Chart.lock", "requirements.lock"):
        (chart / lock).unlink(missing_ok=True)  # it may name what was meanwhile replaced
    places = Places(tree, path, release.trees, environment)
    command = [*_command(source, environment, release, chart), *_files(source, places, release.folder)]
    return from_yaml(template(command, release), what="helm template")


def _command(source: HelmSource, environment: Environment, release: Release, chart: Path) -> list[str]:
    name = source.release_name or release.name
    if len(name) > _LONGEST_NAME:
        raise SourceError(
            f"release name {name!r} is longer than {_LONGEST_NAME} characters; set spec.source.helm.releaseName"
        )
    command = [release.program, "template", str(chart), "--name-template", name]
    command += ["--namespace", source.namespace or release.namespace or "default"]
    if version := source.kube_version or release.kube_version:
        command += ["--kube-version", kube_version(version)]
    for one in source.parameters:
        flag = "--set-string" if one.force_string else "--set"
        command += [flag, f"{one.name}={_escaped(environment.substitute(one.value))}"]
    for version in source.api_versions or release.api_versions:
        command += ["--api-versions", version]
    if not source.skip_crds:
        command.append("--include-crds")
    if source.skip_schema_validation:
        command.append("--skip-schema-validation")
    if source.skip_tests:
        command.append("--skip-tests")
    return command


def _files(source: HelmSource, places: Places, folder: Path) -> list[str]:
    """Options that name files, which are copied for that. The Application's own values come last."""
    options: list[str] = []
    for number, given in enumerate(source.file_parameters):
        found = places.resolved(given.path)
        file = folder / f"parameter-{number}"
        file.write_bytes(found.tree.read(found.path))
        options += ["--set-file", f"{given.name}={file}"]
    ignoring = source.ignore_missing_value_files
    for number, one in enumerate(chosen(places, source.value_files, ignore_missing=ignoring)):
        file = folder / f"values-{number}.yaml"
        file.write_bytes(one.tree.read(one.path))
        options += ["--values", str(file)]
    if source.values_object or source.values:
        file = folder / "values-of-the-application.yaml"
        file.write_text(json.dumps(source.values_object) if source.values_object else source.values)
        options += ["--values", str(file)]
    return options


def template(command: Sequence[str], release: Release) -> bytes:
    """What helm writes, in surroundings of the release's own. Raises `SourceError` with helm's words."""
    home = release.folder / "home"
    home.mkdir(exist_ok=True)
    environment = {
        "HOME": str(home),
        "PATH": os.environ.get("PATH", ""),
        "TMPDIR": str(home),
        "LC_ALL": "C.UTF-8",
    }
    limits = Limits(release.seconds, _MOST_OUTPUT)
    try:
        return run(
            command, name="helm template", folder=release.folder, environment=environment, limits=limits
        )
    except ProgramFailed as error:
        raise SourceError(f"`helm template` failed: {_readable(error.said, release)}") from error


def _readable(said: str, release: Release) -> str:
    """Without the folders of this machine."""
    text = said.replace(f"{release.folder}/chart/", "").replace(str(release.folder), ".")
    return _API_VERSIONS.sub("", text).strip().removeprefix("Error: ")[:_MOST_WORDS]


def _escaped(value: str) -> str:
    """A comma would begin another parameter, but inside of a list."""
    return value if value.startswith("{") and value.endswith("}") else _COMMA.sub(r"\\,", value)


def kube_version(text: str) -> str:
    """Without what distributions add: `v1.30.2+k3s1` is 1.30.2."""
    found = _KUBE_VERSION.fullmatch(text)
    if found is None:
        raise SourceError(f"could not parse kubernetes version {text}")
    return found[1]

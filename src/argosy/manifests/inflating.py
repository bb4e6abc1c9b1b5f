"""Charts inside of a kustomization (`helmCharts`), for those whose build options say `--enable-helm`.

Runs in a worker. A chart comes from the kustomization's own folder of charts, or was fetched before; else it is asked for like the dependencies of a chart.
"""

from __future__ import annotations

import json
import posixpath
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path

from argosy.manifests.charts import Dependency, MissingDependencies, complete, joined
from argosy.manifests.exporting import export
from argosy.manifests.helm import Release, kube_version, template
from argosy.manifests.kustomize.kustomization import HelmChart, HelmGlobals
from argosy.manifests.tree import SourceError, Tree, inside

_HOME = "charts"
_NAMELESS = "release-name"
"""Where kustomize lets helm make up a name, which would be another one each time."""


def inflator(tree: Tree, release: Release) -> Callable[[HelmChart, HelmGlobals, str], str]:
    numbers = count()

    def inflate(chart: HelmChart, said: HelmGlobals, path: str) -> str:
        folder = release.folder / f"inflated-{next(numbers)}"
        folder.mkdir()
        where = _place(chart, said, path)
        target = _chart(tree, chart, where, folder, release)
        command = [
            release.program,
            "template",
            chart.release_name or _NAMELESS,
            str(target),
            *_options(chart, release),
        ]
        for number, file in enumerate(_values(tree, chart, path, where)):
            (folder / f"values-{number}.yaml").write_bytes(file)
            command += ["--values", str(folder / f"values-{number}.yaml")]
        return template(command, release).decode(errors="replace")

    return inflate


def _place(chart: HelmChart, said: HelmGlobals, path: str) -> str:
    home = inside(path, said.chart_home or _HOME, says="helmGlobals.chartHome")
    if chart.version and chart.repo:
        home = posixpath.join(home, f"{chart.name}-{chart.version}")
    return inside(home, chart.name, says="helmCharts: name")


def _chart(tree: Tree, chart: HelmChart, where: str, folder: Path, release: Release) -> Path:
    if tree.form(joined(where, "Chart.yaml")) == "file":
        export(tree, where, folder / "chart")
        complete(tree, where, folder / "chart", release.fetched)
        return folder / "chart"
    if not chart.repo:
        raise SourceError(f"no repo specified for pull, no chart found at '{where}'")
    wanted = Dependency(chart.name, chart.version, chart.repo)
    if wanted.key not in release.fetched:
        raise MissingDependencies([wanted])
    return Path(shutil.copyfile(release.fetched[wanted.key], folder / "chart.tgz"))


def _options(chart: HelmChart, release: Release) -> list[str]:
    options = ["--namespace", chart.namespace] if chart.namespace else []
    if chart.name_template:
        options += ["--name-template", chart.name_template]
    if version := chart.kube_version or release.kube_version:
        options += ["--kube-version", kube_version(version)]
    for one in chart.api_versions or release.api_versions:
        options += ["--api-versions", one]
    switches = {
        "--include-crds": chart.include_crds,
        "--skip-tests": chart.skip_tests,
        "--no-hooks": chart.skip_hooks,
    }
    return [*options, *(option for option, wanted in switches.items() if wanted)]


def _values(tree: Tree, chart: HelmChart, path: str, where: str) -> list[bytes]:
    """In the order in which they override each other, as `valuesMerge` wants it."""
    more = [_read(tree, path, one) for one in chart.additional_values_files]
    inline = [json.dumps(chart.values_inline).encode()] if chart.values_inline else []
    own = [_read(tree, path, chart.values_file)] if chart.values_file else []
    match chart.values_merge or "override":
        case "override":
            return [*own, *inline, *more]
        case "merge":
            defaults = joined(where, "values.yaml")
            if not own and tree.form(defaults) == "file":
                own = [tree.read(defaults)]
            return [*inline, *own, *more]
        case "replace":
            return [*inline, *more]
        case other:
            raise SourceError(f"valuesMerge must be one of [merge, override, replace], not {other!r}")


def _read(tree: Tree, path: str, file: str) -> bytes:
    return tree.read(inside(path, file, says="helmCharts: values"))

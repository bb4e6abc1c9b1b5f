"""One kustomization and what becomes of it: resources from below it, what it generates, its components, then its transformers.

Bases are kustomizations of their own, done first; a component works on what its parent has gathered so far. `building` starts with the outermost.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from argosy.manifests.kustomize import crds, plugins, reading, transformers
from argosy.manifests.kustomize.accumulated import Accumulated, Kinds
from argosy.manifests.kustomize.documents import Malformed, copied, old_yaml
from argosy.manifests.kustomize.generators import absorb, made_by_fields
from argosy.manifests.kustomize.kustomization import COMPONENT, HelmChart, HelmGlobals, Kustomization
from argosy.manifests.kustomize.located import in_file, leading, located
from argosy.manifests.kustomize.origins import NOWHERE, Origin, configured
from argosy.manifests.kustomize.resource import Resource, append
from argosy.manifests.kustomize.resource_files import resources_of
from argosy.manifests.kustomize.roots import Remote, Root
from argosy.manifests.kustomize.settings import Settings, built_in
from argosy.manifests.kustomize.settings import read as read_settings
from argosy.manifests.kustomize.transformers import At, Transformer
from argosy.manifests.kustomize.variables import merge_vars
from argosy.manifests.tree import SourceError

Helm: TypeAlias = Callable[[HelmChart, HelmGlobals, str], str]
"""Renders a chart for a kustomization in the given folder into YAML."""


@dataclass(frozen=True, slots=True)
class Build:
    """What all kustomizations of one build share."""

    kinds: Kinds
    helm: Helm | None = None
    metadata: tuple[str, ...] = ()
    """`buildMetadata` of the outermost."""


@dataclass(frozen=True, slots=True)
class KustomizationTarget:
    root: Root
    file: str
    """The name of its kustomization file."""
    kustomization: Kustomization
    build: Build
    origin: Origin = NOWHERE
    namespace_above: str = ""
    """For charts: that of the kustomizations above it."""

    @classmethod
    def load(
        cls, root: Root, build: Build, origin: Origin = NOWHERE, namespace_above: str = ""
    ) -> KustomizationTarget:
        file, text = root.kustomization()
        with in_file(posixpath.join(root.path, file)):
            return cls(root, file, reading.kustomization(text), build, origin, namespace_above)

    @property
    def path(self) -> str:
        return posixpath.join(self.root.path, self.file)

    def accumulate(self, gathered: Accumulated | None = None) -> Accumulated:
        """`gathered`: what the parent of a component has so far."""
        with in_file(self.path):
            return self._accumulated(gathered or Accumulated())

    def _accumulated(self, gathered: Accumulated) -> Accumulated:
        kustomization = self.kustomization
        self._add_resources(gathered, kustomization.resources, "resources")
        gathered.settings = gathered.settings.merged(self._own_settings())
        for index, path in enumerate(kustomization.crds):
            with located(f"crds[{index}]"):
                found = crds.settings_of(old_yaml(self.root.file(path)), path)
                gathered.settings = gathered.settings.merged(found)
        self._generate(gathered)
        for index, path in enumerate(kustomization.components):
            with located(f"components[{index}]"):
                gathered = self._component(gathered, path)
        self._transform(gathered)
        self._validate(gathered)
        with located("vars"):
            merge_vars(gathered.variables, kustomization.vars, gathered.resources, self.build.kinds)
        return gathered

    def _own_settings(self) -> Settings:
        found = Settings()
        for index, path in enumerate(self.kustomization.configurations):
            with located(f"configurations[{index}]"):
                found = found.merged(read_settings(old_yaml(self.root.file(path)), path))
        return built_in().merged(found)

    def _add_resources(self, gathered: Accumulated, paths: Iterable[str], field: str) -> None:
        for index, path in enumerate(paths):
            with located(f"{field}[{index}]"):
                self._add(gathered, path)

    def _add(self, gathered: Accumulated, path: str) -> None:
        """A file, else another kustomization."""
        try:
            found = resources_of(self.root.file(path), self.build.kinds, file=path)
        except Malformed as error:
            raise SourceError(f"accumulating resources from '{path}': {error}") from error
        except Remote as error:
            raise SourceError(f"accumulating resources: {error}") from error
        except SourceError as error:
            self._add_folder(gathered, path, error)
            return
        for one in found:
            one.origin = self.origin.below(path) if self.build.metadata else None
        with leading(f"merging resources from '{path}'"):
            append(gathered.resources, found)

    def _add_folder(self, gathered: Accumulated, path: str, no_file: SourceError) -> None:
        try:
            root = self.root.below(path)
        except SourceError as error:
            said = str(no_file) if "not a valid directory" in str(error) else str(error)
            raise SourceError(f"accumulating resources from '{path}': {said}") from error
        below = self._loaded(root, path)
        if below.kustomization.kind == COMPONENT:
            raise SourceError(
                f"accumulating resources: expected kind != '{COMPONENT}' for path '{root.shown}'"
            )
        with leading(f"recursed merging from path '{root.shown}'"):
            gathered.take(below.accumulate())

    def _component(self, gathered: Accumulated, path: str) -> Accumulated:
        with leading("accumulating components"):
            root = self.root.below(path)
            below = self._loaded(root, path)
            if below.kustomization.kind != COMPONENT:
                raise SourceError(
                    f"expected kind '{COMPONENT}' for path '{root.shown}' but got '{below.kustomization.kind}'"
                )
            taken = Accumulated()
            taken.take(below.accumulate(gathered))
            return taken

    def _loaded(self, root: Root, path: str) -> KustomizationTarget:
        namespace = self.kustomization.namespace or self.namespace_above
        below = KustomizationTarget.load(root, self.build, self.origin.below(path), namespace)
        with in_file(below.path):
            below.choose_schema()
        return below

    def choose_schema(self) -> None:
        """Only if nobody has."""
        openapi = self.kustomization.openapi
        if not self.build.kinds.chosen and openapi:
            with located("openapi"):
                document = self.root.file(openapi["path"]) if "path" in openapi else None
                self.build.kinds.choose(openapi, document)

    def _generate(self, gathered: Accumulated) -> None:
        made = made_by_fields(self.kustomization, self.root, self.build.kinds, self._chart)
        for field, kind, resources in made:
            self._absorb(gathered, field, resources, self._by_field(kind))
        for field, config in list(self._configured(self.kustomization.generators, "generators")):
            with located(field):
                found = plugins.generator(config, self._at(gathered.settings))
                resources = self._chart(found) if isinstance(found, HelmChart) else found
            self._absorb(gathered, field, resources, _by_object(config))

    def _absorb(self, gathered: Accumulated, field: str, resources: list[Resource], origin: Origin) -> None:
        with located(field):
            for one in resources:
                one.origin = origin if self.build.metadata else None
                absorb(gathered.resources, one)

    def _chart(self, chart: HelmChart) -> list[Resource]:
        if self.build.helm is None:
            raise SourceError(
                f"must specify --enable-helm: the chart '{chart.name}' is not rendered inside a kustomization; make the chart a"
                " source of its own, or add --enable-helm to kustomize.buildOptions"
            )
        namespace = chart.namespace or self.kustomization.namespace or self.namespace_above
        chart = msgspec.structs.replace(chart, namespace=namespace)
        text = self.build.helm(chart, self.kustomization.helm_globals or HelmGlobals(), self.root.path)
        made = resources_of(text, self.build.kinds)
        for one in made:
            one.from_chart = True
        return made

    def _by_field(self, kind: str) -> Origin:
        return configured(self.origin, self.file, "builtin", kind)

    def _at(self, settings: Settings) -> At:
        return At(self.root, self.build.kinds, settings)

    def _configured(self, entries: Iterable[str], field: str) -> Iterator[tuple[str, Resource]]:
        """The objects that configure plugins: inline ones first, then those in files and folders."""
        found, paths = Accumulated(), []
        for index, entry in enumerate(entries):
            try:
                inline = resources_of(entry, self.build.kinds)
            except SourceError:
                paths.append((index, entry))
                continue
            for one in inline:
                one.origin = self.origin.below(self.file)
            with located(f"{field}[{index}]"):
                append(found.resources, inline)
        for index, path in paths:
            with located(f"{field}[{index}]"):
                self._add(found, path)
        for one in found.resources:
            yield f"{field} ({one.kind} {one.name})", one

    def _transform(self, gathered: Accumulated) -> None:
        at = self._at(gathered.settings)
        own = list(transformers.of_kustomization(self.kustomization, at))
        for one in own:
            self._apply(one, gathered, self._by_field(one.kind))
        for field, config in list(self._configured(self.kustomization.transformers, "transformers")):
            with located(field):
                apply = plugins.transformer(config, at)
            self._apply(Transformer(config.kind, field, apply), gathered, _by_object(config))

    def _apply(self, one: Transformer, gathered: Accumulated, origin: Origin) -> None:
        with located(one.field):
            one.apply(gathered)
        gathered.drop_deleted()
        if self.build.metadata:
            for resource in gathered.resources:
                if resource.origin is None:
                    resource.origin = origin
                else:
                    resource.transformations.append(origin)

    def _validate(self, gathered: Accumulated) -> None:
        """A validator is a transformer that must change nothing but the label that says it was there."""
        for field, config in list(self._configured(self.kustomization.validators, "validators")):
            before = {id(one): copied(one.obj) for one in gathered.resources}
            with located(field):
                plugins.transformer(config, self._at(gathered.settings))(gathered)
                for one in gathered.resources:
                    if _without_label(one) != before.get(id(one)):
                        raise SourceError(f"validator shouldn't modify the resource map: {one.id}")


def _without_label(one: Resource) -> object:
    obj = copied(one.obj)
    labels = one.metadata.get("labels")
    if isinstance(labels, dict) and "validated-by" in labels:
        labels = {key: value for key, value in labels.items() if key != "validated-by"}
        obj["metadata"]["labels"] = labels
        if not labels:
            del obj["metadata"]["labels"]
    return obj


def _by_object(config: Resource) -> Origin:
    at = config.origin.path if config.origin else ""
    return Origin("", at, config.gvk.api_version, config.kind, config.name, config.namespace)

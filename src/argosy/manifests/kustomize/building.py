"""`kustomize build`, in this process: a folder of a repository in, objects out.

Equal to kustomize of `VERSION`, which the conformance suite compares it with. What needs a network, a program or a plugin is refused. `target` does one
kustomization; what must wait until all are done stands here: hashes, references to names, vars, the order.
"""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import dataclass, replace

from argosy.kube.objects import Object
from argosy.manifests.kustomize.accumulated import Accumulated, Kinds
from argosy.manifests.kustomize.edits import NO_EDITS, Edits, edited
from argosy.manifests.kustomize.kustomization import SortOptions
from argosy.manifests.kustomize.labels import add_entries
from argosy.manifests.kustomize.located import in_file, located
from argosy.manifests.kustomize.names import add_hashes
from argosy.manifests.kustomize.origins import ORIGIN, TRANSFORMATIONS, transformations_text
from argosy.manifests.kustomize.paths import FieldSpec
from argosy.manifests.kustomize.references import follow_names
from argosy.manifests.kustomize.resource import Resource, append
from argosy.manifests.kustomize.roots import Budget, Root
from argosy.manifests.kustomize.sorting import in_legacy_order
from argosy.manifests.kustomize.target import Build, Helm, KustomizationTarget
from argosy.manifests.kustomize.variables import resolve_vars
from argosy.manifests.tree import SourceError, Tree

VERSION = "v5.8.3"
"""The kustomize that this is equal to: the one that Argo CD v3.6.0 brings."""
_LOCAL = "config.kubernetes.io/local-config"
_MANAGED_BY = "app.kubernetes.io/managed-by"


@dataclass(frozen=True, slots=True)
class Options:
    """What `kustomize.buildOptions` in `argocd-cm` may say."""

    confined: bool = True
    """Files must be in or below the folder of their kustomization."""
    helm: bool = False
    reorder: bool = True
    managed_by: bool = False

    @classmethod
    def read(cls, words: str) -> Options:
        """Raises `SourceError` for options that cannot be had here."""
        found = cls()
        rest = [part for word in shlex.split(words) for part in word.split("=", 1)]
        while rest:
            option = rest.pop(0)
            match option:
                case "--load-restrictor" | "--load_restrictor" if rest:
                    found = replace(found, confined=rest.pop(0) != "LoadRestrictionsNone")
                case "--reorder" if rest:
                    found = replace(found, reorder=rest.pop(0) != "none")
                case "--enable-helm":
                    found = replace(found, helm=_switched_on(rest))
                case "--enable-managedby-label":
                    found = replace(found, managed_by=_switched_on(rest))
                case _:
                    raise SourceError(
                        f"kustomize.buildOptions: {option} is not supported by the built-in kustomize; choose a kustomize binary"
                        " for this application (kustomize.version)"
                    )
        return found


def _switched_on(rest: list[str]) -> bool:
    return rest.pop(0) == "true" if rest and rest[0] in {"true", "false"} else True


NO_OPTIONS = Options()


def build(
    tree: Tree,
    path: str,
    *,
    edits: Edits = NO_EDITS,
    options: Options = NO_OPTIONS,
    helm: Helm | None = None,
) -> list[Object]:
    """Raises `SourceError`. `helm` renders the charts of kustomizations; only asked when `options` allow it."""
    kinds = Kinds()
    root = Root(tree, path, Budget(), options.confined)
    outermost = KustomizationTarget.load(root, Build(kinds, helm if options.helm else None))
    with in_file(outermost.path):
        changed = edited(outermost.kustomization, edits, root)
    metadata = tuple(changed.build_metadata)
    outermost = replace(outermost, kustomization=changed, build=replace(outermost.build, metadata=metadata))
    with in_file(outermost.path):
        outermost.choose_schema()
    gathered = outermost.accumulate()
    with in_file(outermost.path):
        _finish(gathered)
        resources = _in_order(
            gathered.resources, outermost.kustomization.sort_options, reorder=options.reorder
        )
        if options.managed_by or "managedByLabel" in metadata:
            add_entries(
                resources, {_MANAGED_BY: f"kustomize-{VERSION}"}, [FieldSpec("metadata/labels", create=True)]
            )
        return [_written(one, metadata) for one in resources]


def _finish(gathered: Accumulated) -> None:
    add_hashes(gathered.resources)
    follow_names(gathered.resources, gathered.settings.references)
    with located("vars"):
        resolve_vars(gathered.resources, gathered.variables, gathered.settings.variables)
    finished: list[Resource] = []
    append(finished, gathered.resources)  # a JSON patch may have given two the same name, or none
    for one in finished:
        if not one.kind or (not one.name and not one.kind.endswith("List")):
            raise SourceError(f"missing {'metadata.name' if one.kind else 'kind'} in object {one.id}")
    gathered.resources = [one for one in finished if one.texts("annotations").get(_LOCAL, "false") == "false"]


def _in_order(resources: list[Resource], said: SortOptions | None, *, reorder: bool) -> list[Resource]:
    if said is None:
        return in_legacy_order(resources) if reorder else resources
    with located("sortOptions"):
        if said.order not in {"legacy", "fifo"}:
            raise SourceError("the field 'sortOptions.order' must be one of [fifo, legacy]")
        if said.order == "fifo":
            if said.legacy_sort_options is not None:
                raise SourceError(
                    "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'"
                )
            return resources
    legacy = said.legacy_sort_options
    if legacy is None:
        return in_legacy_order(resources)
    return in_legacy_order(resources, legacy.order_first, legacy.order_last)


def _written(one: Resource, metadata: tuple[str, ...]) -> Object:
    annotations = one.texts("annotations")
    if "originAnnotations" in metadata and one.origin is not None:
        annotations[ORIGIN] = one.origin.text()
    if "transformerAnnotations" in metadata and one.transformations:
        annotations[TRANSFORMATIONS] = transformations_text(one.transformations)
    one.set_texts("annotations", annotations)
    return one.finished()


def file_of(tree: Tree, path: str) -> str:
    """The kustomization file of a folder. Raises `SourceError` when there is none, or several."""
    return posixpath.join(path, Root(tree, path, Budget()).kustomization()[0])

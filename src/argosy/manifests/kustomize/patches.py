"""Patches of both kinds, from a file or inline, and whom they change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from argosy.manifests.kustomize import json_patch
from argosy.manifests.kustomize.documents import Malformed
from argosy.manifests.kustomize.kustomization import Patch, PatchOptions, Selector
from argosy.manifests.kustomize.resource import ClusterWide, Resource, append
from argosy.manifests.kustomize.resource_files import resources_of
from argosy.manifests.kustomize.roots import Root
from argosy.manifests.kustomize.scalars import text_that_is_read_again
from argosy.manifests.kustomize.selectors import selected
from argosy.manifests.kustomize.strategic import Merge
from argosy.manifests.tree import SourceError


@dataclass(slots=True)
class Strategic:
    """Objects that are merged into those of the same id, or, with a target, into all that it selects."""

    patches: list[Resource]
    target: Selector | None
    source: str

    def apply(self, resources: list[Resource], merge: Merge) -> list[Resource]:
        if self.target is None:
            for patch in self.patches:
                _merge_into(
                    _the_one(resources, patch, "no resource matches strategic merge patch "), patch, merge
                )
            return _left(resources)
        if len(self.patches) > 1:
            raise SourceError(
                "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field:"
                f" {self.source}"
            )
        if not self.patches:
            return resources
        return _merge_into_all(resources, selected(resources, self.target), self.patches[0], merge)


@dataclass(slots=True)
class Json:
    operations: list[dict[str, object]]
    target: Selector | None
    source: str
    remembers: bool = True
    """Whether the name before it may still be used in references (`patches` does, `patchesJson6902` does not)."""

    def apply(self, resources: list[Resource], merge: Merge) -> list[Resource]:
        if self.target is None:
            raise SourceError(f"must specify a target for JSON patch {self.source}")
        for one in selected(resources, self.target):
            if self.remembers:
                one.remember()
            if one.touched() and one.metadata.get("annotations") is None:
                one.obj["metadata"][
                    "annotations"
                ] = {}  # upstream has its own there by now, so a patch may add one
            try:
                one.obj = json_patch.patched(one.obj, self.operations)
            except json_patch.Refused as error:
                raise SourceError(f"{self.source} does not fit {one.id}: {error}") from error
            one.set_texts("annotations", one.texts("annotations"))
        return resources


def read_patch(root: Root, patch: Patch, cluster_wide: ClusterWide) -> Strategic | Json:
    """Of an entry of `patches`."""
    text, source = _text(root, patch)
    objects = _try_objects(text, cluster_wide)
    operations = _try_operations(text)
    if objects and operations:
        raise SourceError(f"illegally qualifies as both an SM and JSON patch: {source}")
    if objects is None and operations is None:
        raise SourceError(f"unable to parse SM or JSON patch from {source}")
    if objects is None:
        return Json(operations or [], patch.target, source)
    options = patch.options or PatchOptions()
    for one in objects:
        one.may_rename, one.may_change_kind = options.allow_name_change, options.allow_kind_change
        if one.may_rename or one.may_change_kind:
            one.set_texts(
                "annotations", one.texts("annotations")
            )  # as upstream does when it notes that there
    return Strategic(objects, patch.target, source)


def _text(root: Root, patch: Patch) -> tuple[str, str]:
    inline = patch.patch.strip()
    if not inline and not patch.path:
        raise SourceError("must specify one of patch and path")
    if inline and patch.path:
        raise SourceError("patch and path can't be set at the same time")
    if inline:
        return inline, "[patch: inline]"  # not its text: it may hold a password
    try:
        return root.file(patch.path), f'[path: "{patch.path}"]'
    except SourceError as error:
        raise SourceError(f"failed to get the patch file from path({patch.path}): {error}") from error


def _try_objects(text: str, cluster_wide: ClusterWide) -> list[Resource] | None:
    try:
        return resources_of(text, cluster_wide)
    except SourceError:
        return None


def _try_operations(text: str) -> list[dict[str, object]] | None:
    try:
        return json_patch.operations(text) if text else None
    except SourceError:
        return None


def read_old_strategic(root: Root, entries: Iterable[str], cluster_wide: ClusterWide) -> list[Resource]:
    """Of `patchesStrategicMerge`: each entry is a patch, or the path of a file with patches."""
    found: list[Resource] = []
    for entry in entries:
        objects = _try_objects(entry, cluster_wide)
        found += resources_of(root.file(entry), cluster_wide, file=entry) if objects is None else objects
    return found


def read_old_json(root: Root, patch: Patch) -> Json:
    """Of `patchesJson6902`."""
    if patch.target is None or not patch.target.name:
        raise SourceError("must specify the target name")
    if not patch.path and not patch.patch:
        raise SourceError("empty file path and empty jsonOp")
    if patch.path and patch.patch:
        raise SourceError("must specify a file path or jsonOp, not both")
    text = root.file(patch.path) if patch.path else patch.patch
    source = f'[path: "{patch.path}"]' if patch.path else "[inline]"
    try:
        operations = json_patch.operations(text)
    except (Malformed, json_patch.Refused) as error:
        raise SourceError(f"decoding {source}: {error}") from error
    if not operations:
        raise SourceError(f"patch appears to be empty; file={patch.path}")
    return Json(operations, patch.target, source, remembers=False)


def apply_old_strategic(
    resources: list[Resource], patches: Sequence[Resource], merge: Merge
) -> list[Resource]:
    for patch in patches:
        resources = _merge_into_all(resources, [_the_one(resources, patch, "")], patch, merge)
    return resources


def _the_one(resources: Sequence[Resource], patch: Resource, says: str) -> Resource:
    wanted = patch.first_id
    found = [one for one in resources if one.obj and any(known.same(wanted) for known in one.any_id())]
    if len(found) == 1:
        return found[0]
    how_many = "multiple matches" if found else "no matches"
    lead = f'{says}"{wanted}": ' if says else ""
    raise SourceError(f"{lead}{how_many} for Id {wanted}; failed to find unique target for patch {wanted}")


def _merge_into_all(
    resources: Sequence[Resource], chosen: Sequence[Resource], patch: Resource, merge: Merge
) -> list[Resource]:
    for one in chosen:
        mine = patch.copy()
        for of in ("labels", "annotations"):
            mine.set_texts(of, mine.texts(of))
        mine.set_name(mine.name)
        mine.set_namespace(mine.namespace)
        gvk = one.gvk
        mine.obj["apiVersion"] = text_that_is_read_again(gvk.api_version)
        _merge_into(one, mine, merge)
    left: list[Resource] = []
    append(left, _left(resources))
    return left


def _merge_into(one: Resource, patch: Resource, merge: Merge) -> None:
    name, namespace, kind = one.name, one.namespace, one.kind
    if patch.may_rename or patch.may_change_kind:
        one.remember()
    merged = merge.merged(one.obj, patch.obj)
    if merged is None:
        one.obj = {}
        return
    one.obj = merged
    if not patch.may_change_kind:
        one.obj["kind"] = kind
    if not patch.may_rename:
        one.set_name(name)
    one.set_namespace(namespace)


def _left(resources: Iterable[Resource]) -> list[Resource]:
    return [one for one in resources if one.obj]

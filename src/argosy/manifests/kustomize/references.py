"""Follows names: where one resource holds the name of another, and that was renamed, the new name is put there.

Runs once, over everything, after all transformers. Who may be meant is decided as upstream does: called so before, of the right kind, visible from the
referrer's namespace, and if several are left, renamed by the same prefixes and suffixes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from argosy.kube.objects import Object
from argosy.manifests.kustomize.identity import NO_NAMESPACE, Gvk
from argosy.manifests.kustomize.paths import FieldSpec
from argosy.manifests.kustomize.resource import Resource, same_ending, set_text
from argosy.manifests.kustomize.scalars import is_null, text_of, untagged
from argosy.manifests.tree import SourceError


@dataclass(slots=True)
class _Step:
    """All paths of one kind at once: what begins alike is walked once."""

    further: dict[str, _Step] = field(default_factory=dict)
    targets: list[tuple[Gvk, str]] = field(default_factory=list)
    """Whose name stands here, and the path that says so."""


def follow_names(resources: Sequence[Resource], references: Sequence[tuple[Gvk, list[FieldSpec]]]) -> None:
    for binding in resources:
        if binding.kind == "RoleBinding" and binding.gvk.group == "rbac.authorization.k8s.io":
            _check_subjects(binding)
    everybody = [_Candidate.of(one) for one in resources]
    renamed = [one for one in everybody if one.names]
    wanted = [pair for pair in references if any(one.may_be(pair[0]) for one in renamed)]
    if not wanted:
        return
    by_name: dict[str, list[_Candidate]] = {}
    for one in renamed:
        for name in one.names:
            by_name.setdefault(name, []).append(one)
    known: dict[Gvk, _Step | None] = {}
    for referrer in resources:
        gvk = referrer.first_id.gvk
        if gvk not in known:
            known[gvk] = _steps(gvk, wanted)
        if (steps := known[gvk]) is not None:
            _Following(referrer, referrer.id.scope, everybody, by_name).walk(referrer.obj, steps)


def _steps(gvk: Gvk, references: Sequence[tuple[Gvk, list[FieldSpec]]]) -> _Step | None:
    first = _Step()
    for target, specs in references:
        for spec in specs:
            if spec.about(gvk):
                step = first
                for part in spec.parts:
                    step = step.further.setdefault(part.removesuffix("[]"), _Step())
                step.targets.append((target, spec.path))
    return first if first.further else None


@dataclass(slots=True, frozen=True)
class _Candidate:
    resource: Resource
    names: frozenset[str]
    kinds: frozenset[Gvk]
    scope: str
    first_scope: str

    @classmethod
    def of(cls, one: Resource) -> _Candidate:
        former, scope = one.former_ids(), one.id.scope
        return cls(
            one,
            frozenset(known.name for known in former),
            frozenset(known.gvk for known in former),
            scope,
            former[0].scope if former else scope,
        )

    def may_be(self, target: Gvk) -> bool:
        return any(gvk.selected_by(target) for gvk in self.kinds)


@dataclass(slots=True)
class _Following:
    referrer: Resource
    scope: str
    everybody: list[_Candidate]
    by_name: dict[str, list[_Candidate]]

    def _sees(self, candidate: _Candidate) -> bool:
        """What belongs to the cluster sees and is seen by all; the rest sees its own namespace, and a RoleBinding those of its subjects."""
        if NO_NAMESPACE in {self.scope, candidate.scope} or candidate.scope == self.scope:
            return True
        return (
            self.referrer.kind == "RoleBinding"
            and candidate.resource.namespace in _namespaces_of_subjects(self.referrer.obj)
        )

    def walk(self, at: Any, step: _Step) -> None:
        if isinstance(at, list):
            for one in at:
                self.walk(one, step)
        elif isinstance(at, dict):
            for name, further in step.further.items():
                if name in at:
                    for target, path in further.targets:
                        self._update(at, name, target, path)
                    if further.further:
                        self.walk(at[name], further)
        elif not is_null(at):
            raise SourceError(
                f"updating name references of '{self.referrer.id}': expected sequence or mapping node"
            )

    def _update(self, holder: Object, name: str, target: Gvk, path: str) -> None:
        try:
            holder[name] = self._updated(holder[name], target, path)
        except SourceError as error:
            raise SourceError(
                f"updating name reference in '{path}' field of '{self.referrer.id}': {error}"
            ) from error

    def _updated(self, found: Any, target: Gvk, path: str) -> Any:
        if isinstance(found, list):
            return [self._updated(one, target, path) for one in found]
        if isinstance(found, dict):
            self._update_mapping(found, target, path)
            return found
        return found if is_null(found) else self._updated_name(found, target, path)

    def _updated_name(self, old: Any, target: Gvk, path: str) -> Any:
        meant = self._meant(self.by_name.get(text_of(old), ()), target, path, _same_name)
        return old if meant is None or meant.name == text_of(old) else untagged(old, meant.name)

    def _update_mapping(self, holder: Object, target: Gvk, path: str) -> None:
        """A reference with `name` and perhaps `namespace`."""
        if "name" not in holder:
            raise SourceError("path config error; no 'name' field in node")
        old = text_of(holder["name"])
        candidates: Sequence[_Candidate] = self.by_name.get(old, ())
        if candidates and "namespace" in holder:
            candidates = self._of_namespace(candidates, text_of(holder["namespace"]))
        meant = self._meant(candidates, target, path, _same_name_and_namespace)
        if meant is None or (meant.name == old and not meant.namespace):
            return
        set_text(holder, "name", meant.name)
        if meant.namespace:
            set_text(holder, "namespace", meant.namespace)

    def _of_namespace(self, candidates: Sequence[_Candidate], namespace: str) -> Sequence[_Candidate]:
        """Of the namespace as it was, if it was one; else as it is."""
        if any(one.first_scope == namespace and self._sees(one) for one in self.everybody):
            return [one for one in candidates if one.first_scope == namespace]
        return [one for one in candidates if one.scope == namespace]

    def _meant(
        self,
        candidates: Sequence[_Candidate],
        target: Gvk,
        path: str,
        identical: Callable[[Resource, Resource], bool],
    ) -> Resource | None:
        """Of those who were called so."""
        if path.endswith("roleRef/name"):
            candidates = self._of_role(candidates)
        found = [
            one.resource
            for one in candidates
            if one.may_be(target) and self._sees(one) and self._in_reach(one)
        ]
        if len(found) == 1:
            return found[0]
        found = [one for one in found if self._renamed_alike(one, may_lack=True)]
        if len(found) > 1:
            found = [one for one in found if self._renamed_alike(one, may_lack=False)]
        if not found:
            return None
        if len(found) == 1 or all(identical(found[0], one) for one in found[1:]):
            return found[0]
        raise SourceError(f"found multiple possible referrals: {', '.join(str(one.id) for one in found)}")

    def _of_role(self, candidates: Sequence[_Candidate]) -> Sequence[_Candidate]:
        role = self.referrer.obj.get("roleRef")
        if not isinstance(role, dict) or "apiGroup" not in role or "kind" not in role:
            return candidates
        wanted = Gvk(text_of(role["apiGroup"]), "", text_of(role["kind"]))
        return [one for one in candidates if one.may_be(wanted)]

    def _in_reach(self, candidate: _Candidate) -> bool:
        return (
            NO_NAMESPACE in {self.scope, candidate.scope}
            or candidate.resource.kind == "ServiceAccount"
            or candidate.scope == self.scope
        )

    def _renamed_alike(self, one: Resource, *, may_lack: bool) -> bool:
        mine = self.referrer
        return all(
            (may_lack and not (ours and theirs)) or same_ending(ours, theirs)
            for ours, theirs in ((mine.prefixes, one.prefixes), (mine.suffixes, one.suffixes))
        )


def _check_subjects(binding: Resource) -> None:
    subjects = binding.obj.get("subjects")
    for subject in subjects if isinstance(subjects, list) else ():
        if not isinstance(subject, dict) or text_of(subject.get("kind", "")) != "ServiceAccount":
            continue
        if "namespace" in subject and not isinstance(subject["namespace"], str):
            raise SourceError(f'Invalid Input: namespace is blank for resource "{binding.id}"')


def _namespaces_of_subjects(obj: Object) -> set[str]:
    subjects = obj.get("subjects")
    return {
        text_of(subject["namespace"])
        for subject in (subjects if isinstance(subjects, list) else ())
        if isinstance(subject, dict)
        and "namespace" in subject
        and text_of(subject.get("kind", "")) == "ServiceAccount"
    }


def _same_name(one: Resource, other: Resource) -> bool:
    return one.name == other.name


def _same_name_and_namespace(one: Resource, other: Resource) -> bool:
    return one.name == other.name and one.namespace == other.namespace

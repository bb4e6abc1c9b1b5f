"""Roles and their bindings. Who may write which is decided in `access`."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import each, invalid, not_supported, required

GROUP: Final = "rbac.authorization.k8s.io"


class _RbacRules(Builtin):
    """Any part of a path is a name, and a PUT may create."""

    create_on_update = True

    def check_name(self, name: str, prefix: bool) -> Messages:
        return formats.segment_name(name, False)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new)]
        causes += self.check_changed(new, old)
        causes += [*changed, *metadata.check_standard_finalizers(metadata.of(new))]
        return causes + self.check_fixed(new, old)

    def check_changed(self, new: Object, old: Object) -> list[Cause]:
        return self.check(new)

    def check_fixed(self, new: Object, old: Object) -> list[Cause]:
        return []


class RoleRules(_RbacRules):
    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        for index, rule in enumerate(obj.get("rules") or ()):
            causes += _check_rule(rule, f"rules[{index}]", namespaced=self.resource.namespaced)
        return causes


class ClusterRoleRules(RoleRules):
    def check(self, obj: Object) -> list[Cause]:
        return super().check(obj) + _check_aggregation(obj.get("aggregationRule"), any_value=False)

    def check_changed(self, new: Object, old: Object) -> list[Cause]:
        selectors = (old.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
        loose = any(label_selectors.check(one, "") for one in selectors)
        return super().check(new) + _check_aggregation(new.get("aggregationRule"), any_value=loose)


def _check_aggregation(rule: Object | None, *, any_value: bool) -> list[Cause]:
    if rule is None:
        return []
    path, selectors = "aggregationRule.clusterRoleSelectors", rule.get("clusterRoleSelectors") or []
    if not selectors:
        return [required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")]
    causes: list[Cause] = []
    for index, selector in enumerate(selectors):
        causes += label_selectors.check(selector, f"{path}[{index}]", any_value=any_value)
        if not label_selectors.usable(selector):
            causes.append(invalid(f"{path}[{index}]", None, "invalid label selector."))
    return causes


def _check_rule(rule: Object, path: str, *, namespaced: bool) -> list[Cause]:
    causes = [] if rule.get("verbs") else [required(f"{path}.verbs", "verbs must contain at least one value")]
    if urls := rule.get("nonResourceURLs"):
        here = f"{path}.nonResourceURLs"
        if namespaced:
            causes.append(invalid(here, urls, "namespaced rules cannot apply to non-resource URLs"))
        if any(rule.get(part) for part in ("apiGroups", "resources", "resourceNames")):
            told = "rules cannot apply to both regular resources and non-resource URLs"
            causes.append(invalid(here, urls, told))
        return causes
    if not rule.get("apiGroups"):
        causes.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        causes.append(required(f"{path}.resources", "resource rules must supply at least one resource"))
    return causes


class BindingRules(_RbacRules):
    """Of a RoleBinding or a ClusterRoleBinding."""

    def default(self, obj: Object) -> None:
        reference = obj.get("roleRef")
        if reference is None:
            reference = obj["roleRef"] = {}
        if not reference.get("apiGroup"):
            reference["apiGroup"] = GROUP
        for subject in obj.get("subjects") or ():
            if not subject.get("apiGroup") and subject.get("kind") in {"User", "Group"}:
                subject["apiGroup"] = GROUP

    def check(self, obj: Object) -> list[Cause]:
        reference = obj.get("roleRef") or {}
        group, kind, name = (reference.get(part) or "" for part in ("apiGroup", "kind", "name"))
        causes = [] if group == GROUP else [not_supported("roleRef.apiGroup", group, (GROUP,))]
        kinds = ("Role", "ClusterRole") if self.resource.namespaced else ("ClusterRole",)
        if kind not in kinds:
            causes.append(not_supported("roleRef.kind", kind, kinds))
        causes += (
            each("roleRef.name", name, formats.segment_name(name)) if name else [required("roleRef.name")]
        )
        for index, subject in enumerate(obj.get("subjects") or ()):
            causes += self._check_subject(subject, f"subjects[{index}]")
        return causes

    def _check_subject(self, subject: Object, path: str) -> list[Cause]:
        name, kind, group = (subject.get(part) or "" for part in ("name", "kind", "apiGroup"))
        causes = [] if name else [required(f"{path}.name")]
        if kind == "ServiceAccount":
            causes += each(f"{path}.name", name, formats.subdomain(name)) if name else []
            if group:
                causes.append(not_supported(f"{path}.apiGroup", group, ("",)))
            if not self.resource.namespaced and not subject.get("namespace"):
                causes.append(required(f"{path}.namespace"))
        elif kind in {"User", "Group"}:
            if group != GROUP:
                causes.append(not_supported(f"{path}.apiGroup", group, (GROUP,)))
        else:
            causes.append(not_supported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group")))
        return causes

    def check_fixed(self, new: Object, old: Object) -> list[Cause]:
        reference = new.get("roleRef") or {}
        if same(reference, old.get("roleRef") or {}):
            return []
        return [invalid("roleRef", printed("rbac.RoleRef", reference), "cannot change roleRef")]

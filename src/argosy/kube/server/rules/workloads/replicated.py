"""What workloads with a pod template have in common."""

from __future__ import annotations

import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.defaults import default_template
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.pod import name_warnings
from argosy.kube.server.rules.pods.preparation import drop_disabled
from argosy.kube.server.rules.pods.template import check_template, labels_of, spec_of
from argosy.kube.server.rules.pods.warnings import warnings_of
from argosy.kube.server.rules.wording import (
    IMMUTABLE,
    each,
    forbidden,
    invalid,
    nonnegative,
    not_supported,
    required,
)

MISMATCH: Final = "`selector` does not match template `labels`"
POD_NAMES: Final = "this is used in Pod names and hostnames"
_percent = re.compile("([0-9]{1,9})%").fullmatch


class Workload(Builtin):
    """A kind with `spec.template`."""

    generation = True
    warns_of_name = True

    def template(self, obj: Object) -> Object:
        return (obj.get("spec") or {}).get("template") or {}

    def template_path(self) -> str:
        return "spec.template"

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        default_template(spec.setdefault("template", {}))
        self.default_spec(spec)

    def default_spec(self, spec: Object) -> None:
        """What is the kind's own."""

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        drop_disabled(spec_of(self.template(obj)))

    def prepare_update(self, new: Object, old: Object) -> None:
        drop_disabled(spec_of(self.template(new)))
        super().prepare_update(new, old)

    def changed(self, new: Object, old: Object) -> bool:
        return not same(new.get("spec"), old.get("spec"))

    def check(self, obj: Object) -> list[Cause]:
        return self.check_spec(obj.get("spec") or {}, options.TEMPLATE)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        how = options.after(spec_of(self.template(old)))
        return self.check_spec(new.get("spec") or {}, how) + self.check_change(new, old)

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        return []

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return []

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if old is not None:
            if obj["metadata"].get("generation") == old["metadata"].get("generation"):
                return []
            return warnings_of(self.template(obj), self.template_path())
        told = name_warnings(obj, POD_NAMES) if self.warns_of_name else []
        return told + warnings_of(self.template(obj), self.template_path())


def check_selected_template(
    spec: Object, how: Options, *, what: str, kind: str, unusable: str = "invalid label selector"
) -> list[Cause]:
    """The selector, and a template that it matches."""
    selector = spec.get("selector")
    causes: list[Cause] = []
    if selector is None:
        causes.append(required("spec.selector"))
    else:
        causes += label_selectors.check(selector, "spec.selector")
        if label_selectors.is_empty(selector):
            told = f"empty selector is invalid for {what}"
            causes.append(invalid("spec.selector", label_selectors.printed(selector), told))
    if selector is not None and not label_selectors.usable(selector):
        return [*causes, invalid("spec.selector", label_selectors.printed(selector), unusable)]
    template = spec.get("template") or {}
    if selector is None or not label_selectors.is_empty(selector):
        causes += check_matching(selector, template, "spec.template")
    causes += check_template(template, "spec.template", how)
    return causes + check_restarting(template, "spec.template", kind)


def check_matching(selector: Object | None, template: Object, path: str) -> list[Cause]:
    labels = labels_of(template)
    if label_selectors.matches(selector, labels):
        return []
    return [invalid(f"{path}.metadata.labels", metadata.of(template).get("labels"), MISMATCH)]


def check_restarting(template: Object, path: str, kind: str) -> list[Cause]:
    """Pods that are to run for ever."""
    spec = spec_of(template)
    causes: list[Cause] = []
    policy = spec.get("restartPolicy") or ""
    if policy != "Always":
        causes.append(not_supported(f"{path}.spec.restartPolicy", policy, ("Always",)))
    if spec.get("activeDeadlineSeconds") is not None:
        told = f"activeDeadlineSeconds in {kind} is not Supported"
        causes.append(forbidden(f"{path}.spec.activeDeadlineSeconds", told))
    return causes


def check_same_selector(new: Object, old: Object) -> list[Cause]:
    selector = (new.get("spec") or {}).get("selector")
    if same(selector, (old.get("spec") or {}).get("selector")):
        return []
    return [invalid("spec.selector", label_selectors.printed(selector), IMMUTABLE)]


def check_share(value: object, path: str) -> list[Cause]:
    """A number, or a percentage."""
    if isinstance(value, str):
        return each(path, value, formats.percent(value))
    return nonnegative(path, value)


def check_at_most_all(value: object, path: str) -> list[Cause]:
    if not isinstance(value, str) or formats.percent(value) or share(value) <= 100:
        return []
    return [invalid(path, value, "must not be greater than 100%")]


def share(value: object) -> int:
    if isinstance(value, str):
        found = _percent(value)
        return int(found[1]) if found else int(value) if value.isdecimal() and len(value) < 10 else 0
    return value if isinstance(value, int) else 0


def check_counts(status: Object, names: tuple[str, ...], path: str = "status") -> list[Cause]:
    causes: list[Cause] = []
    for name in names:
        causes += nonnegative(f"{path}.{name}", status.get(name))
    return causes


def check_not_above(status: Object, name: str, limit: str, told: str, path: str = "status") -> list[Cause]:
    count = status.get(name) or 0
    return [invalid(f"{path}.{name}", count, told)] if count > (status.get(limit) or 0) else []


def check_collisions(new: Object, old: Object) -> list[Cause]:
    count = (new.get("status") or {}).get("collisionCount")
    before = (old.get("status") or {}).get("collisionCount")
    if before is None or (count is not None and count >= before):
        return []
    return [invalid("status.collisionCount", count or 0, "cannot be decremented")]

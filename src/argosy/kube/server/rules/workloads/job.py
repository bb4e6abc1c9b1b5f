"""Jobs: their selector is made by the API server, and most of what they do can not be changed any more."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.defaults import default_template
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.pod import name_warnings
from argosy.kube.server.rules.pods.template import labels_of, spec_of
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import IMMUTABLE, immutable, invalid, required
from argosy.kube.server.rules.workloads.job_spec import check_job_spec, default_job_spec, job_warnings
from argosy.kube.server.rules.workloads.job_status import check_job_status, is_true
from argosy.kube.server.rules.workloads.replicated import MISMATCH, POD_NAMES, Workload

_UID: Final = ("controller-uid", "batch.kubernetes.io/controller-uid")
_NAME: Final = ("job-name", "batch.kubernetes.io/job-name")


class JobRules(Workload):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        template = spec.setdefault("template", {})
        default_template(template)
        default_job_spec(spec)
        _adopt_labels(obj)

    def prepare_create(self, obj: Object) -> None:
        spec, meta = obj["spec"], obj["metadata"]
        if not spec.get("manualSelector"):
            _generate_selector(spec, str(meta.get("name") or ""), str(meta.get("uid") or ""))
        super().prepare_create(obj)
        # Upstream does so whenever it reads one, so nobody ever sees a job without.
        _adopt_labels(obj)

    def check(self, obj: Object) -> list[Cause]:
        return self._check_job(obj, options.TEMPLATE, prefixed=True)

    def _check_job(self, obj: Object, how: Options, *, prefixed: bool) -> list[Cause]:
        spec, meta = obj.get("spec") or {}, metadata.of(obj)
        causes = _check_generated(spec, meta, prefixed)
        causes += _check_selected(spec, how)
        completions = spec.get("completions") or 0
        if spec.get("completionMode") == "Indexed" and completions > 0:
            host = f"{meta.get('name')}-{completions - 1}"
            if formats.dns_label(host):
                told = f"will not able to create pod with invalid DNS label: {host}"
                causes.append(invalid("metadata.name", meta.get("name") or "", told))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        before, meta = old.get("spec") or {}, metadata.of(new)
        how = options.after(spec_of(self.template(old)))
        known = labels_of(self.template(old))
        causes = metadata.check(meta, namespaced=True)
        changed = metadata.check_update(meta, metadata.of(old))
        causes += [*changed, *self.check_metadata(new)]
        causes += self._check_job(new, how, prefixed=_UID[1] in known and _NAME[1] in known)
        causes += [*changed, *metadata.check_standard_finalizers(meta)]
        return causes + _check_change(new.get("spec") or {}, before, _is_changeable(old), how)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return check_job_status(new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if old is not None and obj["metadata"].get("generation") == old["metadata"].get("generation"):
            return []
        told = name_warnings(obj, POD_NAMES) if old is None else []
        return told + job_warnings(obj.get("spec") or {}, "spec")

    def fields(self, obj: Object) -> dict[str, str]:
        return {"status.successful": str((obj.get("status") or {}).get("succeeded") or 0)}


def _adopt_labels(job: Object) -> None:
    labels = labels_of(job["spec"]["template"])
    if labels and not metadata.of(job).get("labels"):
        job.setdefault("metadata", {})["labels"] = dict(labels)


def _generate_selector(spec: Object, name: str, uid: str) -> None:
    meta = spec.setdefault("template", {}).setdefault("metadata", {})
    labels = meta.get("labels")
    if labels is None:
        labels = meta["labels"] = {}
    for key in _NAME:
        labels.setdefault(key, name)
    for key in _UID:
        labels.setdefault(key, uid)
    selector = spec.get("selector")
    if selector is None:
        selector = spec["selector"] = {}
    if selector.get("matchLabels") is None:
        selector["matchLabels"] = {}
    selector["matchLabels"].setdefault(_UID[1], uid)


def _check_generated(spec: Object, meta: Object, prefixed: bool) -> list[Cause]:
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None:
        return []
    uid, name = str(meta.get("uid") or ""), str(meta.get("name") or "")
    causes = [] if uid else [required("metadata.uid")]
    labels = labels_of(spec.get("template") or {})
    expected = {_UID[0]: uid, _NAME[0]: name}
    if prefixed:
        expected |= {_UID[1]: uid, _NAME[1]: name}
    for key, value in expected.items():
        path = f"spec.template.metadata.labels[{key}]"
        if key not in labels:
            causes.append(required(path, f"must be '{value}'"))
        elif labels[key] != value:
            causes.append(invalid(path, labels, f"must be '{value}'"))
    if label_selectors.usable(selector) and not label_selectors.matches(selector, expected):
        causes.append(
            invalid("spec.selector", label_selectors.printed(selector), "`selector` not auto-generated")
        )
    return causes


def _check_selected(spec: Object, how: Options) -> list[Cause]:
    selector, template = spec.get("selector"), spec.get("template") or {}
    causes = check_job_spec(spec, "spec", how)
    if selector is None:
        causes.append(required("spec.selector"))
    else:
        causes += label_selectors.check(selector, "spec.selector", any_value=how.any_selector_value)
    labels = labels_of(template)
    usable = selector is None or label_selectors.usable(selector)
    if usable and not label_selectors.matches(selector, labels):
        causes.append(invalid("spec.template.metadata.labels", metadata.of(template).get("labels"), MISMATCH))
    return causes


def _is_changeable(old: Object) -> bool:
    """A suspended job that runs nothing may still change where and with how much its pods will run."""
    spec, status = old.get("spec") or {}, old.get("status") or {}
    idle = status.get("startTime") is None or is_true(status, "Suspended")
    return bool(spec.get("suspend")) and idle and not status.get("active")


def _check_change(new: Object, old: Object, changeable: bool, how: Options) -> list[Cause]:
    causes = _check_selected(new, how)
    causes += _check_completions(new, old)
    if not same(new.get("selector"), old.get("selector")):
        causes.append(invalid("spec.selector", label_selectors.printed(new.get("selector")), IMMUTABLE))
    causes += _check_template(new, old, changeable)
    causes += immutable("spec.completionMode", new.get("completionMode"), old.get("completionMode"))
    if not same(new.get("podFailurePolicy"), old.get("podFailurePolicy")):
        shown = printed("*batch.PodFailurePolicy", new.get("podFailurePolicy"))
        causes.append(invalid("spec.podFailurePolicy", shown, IMMUTABLE))
    for field in ("backoffLimitPerIndex", "managedBy"):
        causes += immutable(f"spec.{field}", new.get(field), old.get(field))
    if not same(new.get("successPolicy"), old.get("successPolicy")):
        shown = printed("*batch.SuccessPolicy", new.get("successPolicy"))
        causes.append(invalid("spec.successPolicy", shown, IMMUTABLE))
    return causes


def _check_completions(new: Object, old: Object) -> list[Cause]:
    completions, before = new.get("completions"), old.get("completions")
    if new.get("completionMode") != "Indexed":
        return immutable("spec.completions", completions, before)
    if completions == before or completions is None or completions == new.get("parallelism"):
        return []
    told = "can only be modified in tandem with spec.parallelism"
    return [invalid("spec.completions", completions, told)]


def _check_template(new: Object, old: Object, changeable: bool) -> list[Cause]:
    template, before = new.get("template") or {}, old.get("template") or {}
    if same(template, before):
        return []
    if not changeable:
        return [invalid("spec.template", printed("core.PodTemplateSpec", template), IMMUTABLE)]
    spec, kept = spec_of(template), dict(spec_of(before))
    for field in ("nodeSelector", "tolerations", "schedulingGates"):
        _take(kept, field, spec.get(field))
    affinity = {key: value for key, value in (kept.get("affinity") or {}).items() if key != "nodeAffinity"}
    node = (spec.get("affinity") or {}).get("nodeAffinity")
    _take(affinity, "nodeAffinity", node)
    _take(kept, "affinity", affinity if affinity or spec.get("affinity") is not None else None)
    for part in ("containers", "initContainers"):
        kept[part] = _with_resources(spec.get(part) or [], kept.get(part) or [])
    if same(spec, kept):
        return []
    return [invalid("spec.template.spec", printed("core.PodSpec", spec), IMMUTABLE)]


def _take(holder: Object, key: str, value: object) -> None:
    if value is None:
        holder.pop(key, None)
    else:
        holder[key] = value


def _with_resources(new: list[Object], old: list[Object]) -> list[Object]:
    if len(new) != len(old):
        return old
    return [
        {**before, "resources": container.get("resources")}
        if container.get("name") == before.get("name")
        else before
        for container, before in zip(new, old, strict=True)
    ]

"""The rules of pods."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.annotations import (
    check_annotations,
    check_annotations_match,
    check_annotations_update,
)
from argosy.kube.server.rules.pods.containers import check_image
from argosy.kube.server.rules.pods.defaults import default_pod
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.preparation import drop_disabled, prepare_pod
from argosy.kube.server.rules.pods.running import (
    check_ephemeral,
    check_resized,
    keep_ephemeral,
    keep_resized,
)
from argosy.kube.server.rules.pods.spec import check_spec
from argosy.kube.server.rules.pods.status import check_status
from argosy.kube.server.rules.pods.updates import check_update
from argosy.kube.server.rules.pods.warnings import warnings_of
from argosy.kube.server.rules.rules import Steps
from argosy.kube.server.rules.wording import forbidden


class PodRules(Builtin):
    generation = True

    def default(self, obj: Object) -> None:
        default_pod(obj)

    def prepare_create(self, obj: Object) -> None:
        prepare_pod(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        drop_disabled(new.setdefault("spec", {}))
        super().prepare_update(new, old)

    def prepare_status(self, new: Object, old: Object) -> None:
        super().prepare_status(new, old)
        meta, before = new["metadata"], metadata.of(old)
        for field in ("deletionTimestamp", "ownerReferences"):
            if field in before:
                meta[field] = before[field]
            else:
                meta.pop(field, None)
        status, was = new.setdefault("status", {}), old.get("status") or {}
        if not status.get("qosClass") and was.get("qosClass"):
            status["qosClass"] = was["qosClass"]
        if not status.get("observedGeneration") and was.get("observedGeneration"):
            status["observedGeneration"] = was["observedGeneration"]

    def steps(self, subresource: str) -> Steps:
        match subresource:
            case "ephemeralcontainers":
                return Steps(
                    partial(self._prepare_part, keep_ephemeral), partial(self._check_part, check_ephemeral)
                )
            case "resize":
                return Steps(
                    partial(self._prepare_part, keep_resized), partial(self._check_part, check_resized)
                )
            case _:
                return super().steps(subresource)

    def _prepare_part(self, keep: Callable[[Object, Object], None], new: Object, old: Object) -> None:
        keep(new, old)
        drop_disabled(new["spec"])
        super().prepare_update(new, old)

    def _check_part(
        self, check: Callable[[Object, Object], list[Cause]], new: Object, old: Object
    ) -> list[Cause]:
        how = options.after(old.get("spec") or {}, is_pod=True)
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        return [
            *self.check_plain_metadata(new),
            *changed,
            *self.check_metadata(new),
            *self._check_parts(new, how),
            *self._check_annotations(new, old),
            *check(new, old),
            *changed,
        ]

    def check(self, obj: Object) -> list[Cause]:
        causes = self._check_parts(obj, options.POD)
        spec = obj.get("spec") or {}
        if spec.get("ephemeralContainers"):
            causes.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
        if spec.get("nodeName") and spec.get("schedulingGates"):
            told = "cannot be set until all schedulingGates have been cleared"
            causes.append(forbidden("spec.nodeName", told))
        annotations = metadata.of(obj).get("annotations") or {}
        return causes + check_annotations_match(annotations, spec, "spec")

    def _check_parts(self, obj: Object, how: Options) -> list[Cause]:
        spec, meta = obj.get("spec") or {}, metadata.of(obj)
        causes: list[Cause] = []
        if annotations := meta.get("annotations"):
            causes += check_annotations(annotations, spec, "metadata.annotations")
        causes += check_spec(spec, "spec", how, meta=meta)
        if not spec.get("serviceAccountName") and spec.get("volumes"):
            causes += _tokens_without_account(spec["volumes"])
        for part in ("containers", "initContainers"):
            for index, container in enumerate(spec.get(part) or ()):
                causes += check_image(container, f"spec.{part}[{index}]")
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        how = options.after(before, is_pod=True)
        causes = [*self.check_metadata(new), *self._check_parts(new, how)]
        causes += self._check_annotations(new, old)
        return causes + check_update(spec, before)

    def _check_annotations(self, new: Object, old: Object) -> list[Cause]:
        annotations = metadata.of(new).get("annotations") or {}
        before = metadata.of(old).get("annotations") or {}
        if not annotations and not before:
            return []
        causes = check_annotations_update(annotations, before, "metadata.annotations")
        return causes + check_annotations(annotations, new.get("spec") or {}, "metadata.annotations")

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return [*self._check_annotations(new, old), *check_status(new, old)]

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if old is not None:
            return []
        return name_warnings(obj, "this is used in the Pod's hostname") + warnings_of(obj, "")

    def fields(self, obj: Object) -> dict[str, str]:
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        addresses = status.get("podIPs") or [{}]
        return {
            "spec.nodeName": spec.get("nodeName") or "",
            "spec.restartPolicy": spec.get("restartPolicy") or "",
            "spec.schedulerName": spec.get("schedulerName") or "",
            "spec.serviceAccountName": spec.get("serviceAccountName") or "",
            "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
            "status.phase": status.get("phase") or "",
            "status.podIP": addresses[0].get("ip") or status.get("podIP") or "",
            "status.podIPs": "",
            "status.nominatedNodeName": status.get("nominatedNodeName") or "",
        }

    def changed(self, new: Object, old: Object) -> bool:
        return not same(new.get("spec"), old.get("spec"))

    def grace(self, obj: Object, asked: int | None) -> int | None:
        """None of it for a pod that never reached a node or has ended."""
        spec, phase = obj.get("spec") or {}, (obj.get("status") or {}).get("phase")
        if not spec.get("nodeName") or phase in {"Succeeded", "Failed"}:
            return 0
        seconds = spec.get("terminationGracePeriodSeconds", 30) if asked is None else asked
        return int(seconds) if seconds >= 0 else 1


def name_warnings(obj: Object, use: str) -> list[str]:
    """Names that are right and still make bad host names."""
    messages = formats.dns_label(str(metadata.of(obj).get("name") or ""))
    if not messages:
        return []
    told = (
        f"{use}, which can result in surprising behavior; a DNS label is recommended: [{' '.join(messages)}]"
    )
    return [f"metadata.name: {told}"]


def _tokens_without_account(volumes: list[Object]) -> list[Cause]:
    return [
        forbidden(
            f"spec.volumes[{index}].projected.sources[{number}].serviceAccountToken",
            "must not be specified when serviceAccountName is not set",
        )
        for index, volume in enumerate(volumes)
        for number, source in enumerate((volume.get("projected") or {}).get("sources") or ())
        if source.get("serviceAccountToken") is not None
    ]

"""A new node takes no pods until somebody found it ready."""

from __future__ import annotations

from argosy.kube.server.admission.write import Write

_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def admit(write: Write) -> None:
    if write.creates("nodes"):
        spec = write.obj.setdefault("spec", {})
        taints = spec.get("taints") or []
        if not any(
            one.get("key") == _NOT_READY["key"] and one.get("effect") == "NoSchedule" for one in taints
        ):
            spec["taints"] = [*taints, dict(_NOT_READY)]

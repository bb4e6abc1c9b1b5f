"""What makes a pod of a StatefulSet this one and no other: its number, name, host name and volumes. Pure."""

from __future__ import annotations

from argosy.kube.controllers.history import HASH
from argosy.kube.controllers.pods.making import from_template
from argosy.kube.objects import Object, labels_of, name_of, namespace_of

POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"


def ordinal_of(owner: Object, pod: Object) -> int | None:
    """None: not a name that this set gives."""
    head, _, tail = name_of(pod).rpartition("-")
    if head != name_of(owner) or not tail.isdigit() or str(int(tail)) != tail:
        return None
    return int(tail)


def start(owner: Object) -> int:
    return int((owner["spec"].get("ordinals") or {}).get("start") or 0)


def pod_for(owner: Object, template: Object, ordinal: int, revision: str) -> Object:
    pod = from_template(template, owner)
    name = f"{name_of(owner)}-{ordinal}"
    metadata = pod["metadata"]
    metadata["name"] = name
    metadata["labels"] |= {POD_NAME: name, POD_INDEX: str(ordinal), HASH: revision}
    spec = pod["spec"]
    spec["hostname"] = name
    if owner["spec"].get("serviceName"):
        spec["subdomain"] = owner["spec"]["serviceName"]
    claims = {one["metadata"]["name"]: claim_name(owner, one, ordinal) for one in claim_templates(owner)}
    own = [
        {"name": volume, "persistentVolumeClaim": {"claimName": claim}} for volume, claim in claims.items()
    ]
    others = [one for one in spec.get("volumes") or () if one["name"] not in claims]
    if own or others:
        spec["volumes"] = [*own, *others]
    return pod


def claim_templates(owner: Object) -> list[Object]:
    return owner["spec"].get("volumeClaimTemplates") or []


def claim_name(owner: Object, template: Object, ordinal: int) -> str:
    return f"{template['metadata']['name']}-{name_of(owner)}-{ordinal}"


def claims_for(owner: Object, ordinal: int) -> list[Object]:
    selected = (owner["spec"].get("selector") or {}).get("matchLabels") or {}
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": claim_name(owner, template, ordinal),
                "namespace": namespace_of(owner),
                "labels": {**labels_of(template), **selected},
                "annotations": dict(template["metadata"].get("annotations") or {}),
            },
            "spec": template["spec"],
        }
        for template in claim_templates(owner)
    ]

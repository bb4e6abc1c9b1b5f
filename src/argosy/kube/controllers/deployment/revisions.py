"""Which ReplicaSet stands for which template of a Deployment, and what it carries of it. Pure."""

from __future__ import annotations

from argosy.kube.controllers.deployment.sizes import DESIRED, MOST, most, new_size, replicas
from argosy.kube.controllers.hashing import hashed, pruned
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.controllers.pods.state import created
from argosy.kube.objects import Object, annotations_of, name_of, namespace_of

HASH = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
_HISTORY = "deployment.kubernetes.io/revision-history"
_LONGEST_HISTORY = 2000
_LONGEST_NAME = 253
_OWN = {
    REVISION,
    _HISTORY,
    DESIRED,
    MOST,
    "kubectl.kubernetes.io/last-applied-configuration",
    "deprecated.deployment.rollback.to",
}


def find_new(deployment: Object, sets: list[Object]) -> Object | None:
    """The oldest whose template is the Deployment's."""
    wanted = _template(deployment)
    ordered = sorted(sets, key=lambda one: (created(one), name_of(one)))
    return next((one for one in ordered if _template(one) == wanted), None)


def same_template(deployment: Object, replica_set: Object) -> bool:
    return _template(deployment) == _template(replica_set)


def _template(obj: Object) -> object:
    template = obj["spec"]["template"]
    metadata = template.get("metadata") or {}
    labels = {key: value for key, value in (metadata.get("labels") or {}).items() if key != HASH}
    return pruned({**template, "metadata": {**metadata, "labels": labels}})


def revision(obj: Object) -> int:
    text = annotations_of(obj).get(REVISION, "")
    return int(text) if text.isdigit() else 0


def next_revision(old: list[Object]) -> int:
    return max((revision(one) for one in old), default=0) + 1


def new_replica_set(deployment: Object, old: list[Object]) -> Object:
    spec = deployment["spec"]
    template = spec["template"]
    mark = hashed(template, int((deployment.get("status") or {}).get("collisionCount") or 0))
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), HASH: mark}
    selector = dict(spec.get("selector") or {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH: mark}
    made: Object = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name_of(deployment)[: _LONGEST_NAME - len(mark) - 1]}-{mark}",
            "namespace": namespace_of(deployment),
            "labels": labels,
            "ownerReferences": [owner_reference(deployment)],
        },
        "spec": {
            "replicas": 0,
            "selector": selector,
            "template": {**template, "metadata": {**metadata, "labels": labels}},
        },
    }
    if spec.get("minReadySeconds"):
        made["spec"]["minReadySeconds"] = spec["minReadySeconds"]
    made["spec"]["replicas"] = new_size(deployment, old, 0)
    made["metadata"]["annotations"] = {
        **_carried(deployment, {}, next_revision(old)),
        **size_annotations(deployment),
    }
    return made


def size_annotations(deployment: Object) -> dict[str, str]:
    return {DESIRED: str(replicas(deployment)), MOST: str(most(deployment))}


def refreshed(deployment: Object, new: Object, old: list[Object]) -> Object | None:
    """The new ReplicaSet with what it should carry of the Deployment; None when it does."""
    annotations = _carried(deployment, annotations_of(new), next_revision(old))
    wait = int(deployment["spec"].get("minReadySeconds") or 0)
    if annotations == annotations_of(new) and wait == int(new["spec"].get("minReadySeconds") or 0):
        return None
    return {
        **new,
        "metadata": {**new["metadata"], "annotations": annotations},
        "spec": {**new["spec"], "minReadySeconds": wait},
    }


def _carried(deployment: Object, have: dict[str, str], number: int) -> dict[str, str]:
    """Annotations of the ReplicaSet; one that is rolled back to remembers the revisions that it was."""
    theirs = {key: value for key, value in annotations_of(deployment).items() if key not in _OWN}
    found = {**have, **theirs}
    before = have.get(REVISION, "")
    if (int(before) if before.isdigit() else 0) < number:
        found[REVISION] = str(number)
        if before:
            found[_HISTORY] = _extended(have.get(_HISTORY, ""), before)
    return found


def _extended(history: str, revision_before: str) -> str:
    revisions = [*filter(None, history.split(",")), revision_before]
    while len(",".join(revisions)) > _LONGEST_HISTORY:
        revisions.pop(0)
    return ",".join(revisions)


def to_clean_up(deployment: Object, old: list[Object]) -> list[Object]:
    """Old ReplicaSets beyond the history limit, if nothing is left of them."""
    limit = deployment["spec"].get("revisionHistoryLimit")
    if limit is None or limit == 2**31 - 1:
        return []
    alive = [one for one in old if "deletionTimestamp" not in one["metadata"]]
    excess = max(len(alive) - int(limit), 0)
    return [one for one in sorted(alive, key=revision)[:excess] if _is_empty(one)]


def _is_empty(one: Object) -> bool:
    status = one.get("status") or {}
    return (
        not status.get("replicas")
        and not replicas(one)
        and int(one["metadata"].get("generation", 0)) <= int(status.get("observedGeneration") or 0)
    )

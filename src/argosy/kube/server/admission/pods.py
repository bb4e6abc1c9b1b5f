"""What every pod gets: a service account and its token, a priority, and patience with nodes in trouble."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.admission.names import suffix
from argosy.kube.server.admission.write import Write

_ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3607
_PATIENCE_SECONDS = 300
_TROUBLES = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_MIRROR = "kubernetes.io/config.mirror"


def admit(write: Write) -> None:
    if write.updates("pods"):
        _keep_priority(write)
        _tolerations(write.obj.setdefault("spec", {}))
    if not write.creates("pods"):
        return
    if _MIRROR not in (write.obj["metadata"].get("annotations") or {}):
        _service_account(write)
    _priority(write)
    _tolerations(write.obj["spec"])


def _service_account(write: Write) -> None:
    spec = write.obj["spec"]
    name = spec.get("serviceAccountName") or "default"
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    account = write.reader.get("serviceaccounts", write.namespace, name)
    if account is None:
        raise write.forbidden(
            f'error looking up service account {write.namespace}/{name}: serviceaccount "{name}" not found'
        )
    if _mounts(spec, account):
        _mount_token(spec)
    if not spec.get("imagePullSecrets") and account.get("imagePullSecrets"):
        spec["imagePullSecrets"] = [dict(one) for one in account["imagePullSecrets"]]


def _mounts(spec: Object, account: Object) -> bool:
    for holder in (spec, account):
        said = holder.get("automountServiceAccountToken")
        if said is not None:
            return bool(said)
    return True


def _mount_token(spec: Object) -> None:
    containers = [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]
    without = [
        one
        for one in containers
        if all(mount.get("mountPath") != _ACCOUNT_PATH for mount in one.get("volumeMounts") or ())
    ]
    if not without:
        return
    volume = next(
        (one["name"] for one in spec.get("volumes") or () if one["name"].startswith("kube-api-access-")), ""
    )
    if not volume:
        volume = f"kube-api-access-{suffix()}"
        spec["volumes"] = [*(spec.get("volumes") or ()), {"name": volume, "projected": _projected()}]
    for one in without:
        mount = {"name": volume, "readOnly": True, "mountPath": _ACCOUNT_PATH}
        one["volumeMounts"] = [*(one.get("volumeMounts") or ()), mount]


def _projected() -> Object:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    return {
        "defaultMode": 420,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
            {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
            {"downwardAPI": {"items": [namespace]}},
        ],
    }


def _keep_priority(write: Write) -> None:
    spec, before = write.obj.setdefault("spec", {}), (write.old or {}).get("spec") or {}
    for part in ("priority", "preemptionPolicy"):
        if spec.get(part) is None and before.get(part) is not None:
            spec[part] = before[part]


def _priority(write: Write) -> None:
    spec = write.obj["spec"]
    name = spec.get("priorityClassName") or ""
    chosen: Object | None = None
    if name:
        chosen = write.reader.get("priorityclasses.scheduling.k8s.io", "", name)
        if chosen is None:
            raise write.forbidden(f"no PriorityClass with name {name} was found")
    else:
        defaults = [
            one for one in write.reader.list("priorityclasses.scheduling.k8s.io") if one.get("globalDefault")
        ]
        chosen = min(defaults, key=lambda one: int(one["value"]), default=None)
        if chosen is not None:
            spec["priorityClassName"] = chosen["metadata"]["name"]
    value = int(chosen["value"]) if chosen else 0
    if spec.get("priority") not in {None, value}:
        raise write.forbidden(
            f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; priority admission "
            f"controller computed {value} from the given PriorityClass name"
        )
    spec["priority"] = value
    policy = (chosen or {}).get("preemptionPolicy", "PreemptLowerPriority")
    if spec.setdefault("preemptionPolicy", policy) != policy:
        raise write.forbidden(
            f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; priority "
            f"admission controller computed {policy} from the given PriorityClass name"
        )


def _tolerations(spec: Object) -> None:
    tolerations = list(spec.get("tolerations") or ())
    for trouble in _TROUBLES:
        if not any(
            one.get("key", "") in {"", trouble} and one.get("effect", "") in {"", "NoExecute"}
            for one in tolerations
        ):
            tolerations.append(
                {
                    "key": trouble,
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": _PATIENCE_SECONDS,
                }
            )
    if tolerations:
        spec["tolerations"] = tolerations

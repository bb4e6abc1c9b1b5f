"""Takes over what `kubectl apply` owns of an object, so that a field that leaves Git leaves the cluster.

Fields that were written by a client-side apply belong to a manager that never applies again; without this they would stay for ever.
"""

from __future__ import annotations

from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, metadata, name_of, namespace_of, revision_of
from argosy.kube.types import Kind

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_CLIENT_SIDE = frozenset({"kubectl-client-side-apply", "argocd-controller"})
_ATTEMPTS = 5


async def take_over(client: Client, kind: Kind, live: Object, *, manager: str) -> None:
    """Only objects that were once applied by a client say so; all others cost nothing."""
    if _LAST_APPLIED not in annotations_of(live):
        return
    for _ in range(_ATTEMPTS):
        fresh = await client.find(kind, name_of(live), namespace_of(live))
        entries = metadata(fresh or {}).get("managedFields") or []
        mended = upgraded(entries, manager=manager)
        if fresh is None or mended is None:
            return
        change = [
            {"op": "replace", "path": "/metadata/managedFields", "value": mended},
            {"op": "replace", "path": "/metadata/resourceVersion", "value": revision_of(fresh)},
        ]
        try:
            await client.patch(kind, name_of(live), change, namespace=namespace_of(live), form="json")
        except ApiError as error:
            if error.code != 409:
                raise
        else:
            return


def upgraded(entries: list[Object], *, manager: str) -> list[Object] | None:
    """The entries with those of client-side appliers united into the manager's own; None: there are none."""
    old = [one for one in entries if _is_client_side(one)]
    if not old:
        return None
    own = next((one for one in entries if _is_own(one, manager)), None)
    fields: Object = {}
    for one in [*old, *([own] if own else [])]:
        fields = united(fields, one.get("fieldsV1") or {})
    first = own or old[0]
    merged = {**first, "manager": manager, "operation": "Apply", "fieldsV1": fields}
    return [merged, *(one for one in entries if one is not own and not _is_client_side(one))]


def united(left: Object, right: Object) -> Object:
    """Of two sets of fields."""
    return {
        name: united(left.get(name) or {}, right.get(name) or {}) for name in dict.fromkeys([*left, *right])
    }


def _is_client_side(entry: Object) -> bool:
    return (
        entry.get("manager") in _CLIENT_SIDE
        and entry.get("operation") == "Update"
        and not entry.get("subresource")
    )


def _is_own(entry: Object, manager: str) -> bool:
    return (
        entry.get("manager") == manager and entry.get("operation") == "Apply" and not entry.get("subresource")
    )

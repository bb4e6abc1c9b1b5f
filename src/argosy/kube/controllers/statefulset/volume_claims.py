"""How long the volumes of a StatefulSet live: by default longer than it does; by its retention policy as long as the set, or as the
pod. Said by owner references, which the garbage collector reads. Pure."""

from __future__ import annotations

from argosy.kube.objects import Object, name_of, uid_of


def owners(owner: Object, pod: Object | None, *, condemned: bool) -> list[Object]:
    policy = owner["spec"].get("persistentVolumeClaimRetentionPolicy") or {}
    if condemned and policy.get("whenScaled") == "Delete" and pod is not None:
        return [_reference(pod)]
    if policy.get("whenDeleted") == "Delete":
        return [_reference(owner)]
    return []


def _reference(obj: Object) -> Object:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": name_of(obj),
        "uid": uid_of(obj),
    }


def corrected(claim: Object, owner: Object, pod: Object | None, *, condemned: bool) -> list[Object] | None:
    """The owner references that the claim should have, others' included; None when it has them."""
    ours = {uid_of(owner)} | ({uid_of(pod)} if pod is not None else set())
    have = claim["metadata"].get("ownerReferences") or []
    wanted = owners(owner, pod, condemned=condemned)
    mine = [one for one in have if one["uid"] in ours]
    if {one["uid"] for one in mine} == {one["uid"] for one in wanted}:
        return None
    return [one for one in have if one["uid"] not in ours] + wanted

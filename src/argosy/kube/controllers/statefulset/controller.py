"""Looks at a StatefulSet: settles its revision, makes and deletes pods as planned, writes the status."""

from __future__ import annotations

from argosy.kit import clock
from argosy.kube.controllers import history
from argosy.kube.controllers.pods import following, owning
from argosy.kube.controllers.pods.making import all_of, is_terminating_namespace
from argosy.kube.controllers.pods.state import is_going, phase, soonest_available
from argosy.kube.controllers.statefulset import identity, planning, volume_claims
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLAIM, CONTROLLER_REVISION, POD, STATEFUL_SET


class StatefulSets:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._sets, self._pods = place.copies.of(STATEFUL_SET), place.copies.of(POD)
        self._revisions, self._claims = place.copies.of(CONTROLLER_REVISION), place.copies.of(CLAIM)
        reads = (self._sets, self._pods, self._revisions, self._claims)
        self.loop = Loop("statefulset", self._look, reads=reads)
        self.loop.follow(self._sets)
        following.follow_children(self._pods, self._sets, self.loop)

    async def _look(self, name: Name) -> float | None:
        owner = self._sets.get(name[1], name[0])
        if owner is None:
            return None
        pods = await owning.claim(self._place, owner, owner["spec"].get("selector"), self._pods)
        revisions = self._revisions.owned_by(uid_of(owner))
        try:
            update = await history.settle(self._place, owner, revisions)
        except history.Collision:
            await self._bump(owner)
            return None
        before = str((owner.get("status") or {}).get("currentRevision") or "")
        known = {name_of(one): one for one in [*revisions, update]}
        current = known.get(before, update)
        seen = planning.Situation(owner, pods, name_of(current), name_of(update), clock.now())
        planned = planning.plan(seen)
        try:
            await self._do(owner, planned, pods, known)
        finally:
            await self._place.write_status(owner, planning.status(seen))
        live = {history.hash_of(pod) for pod in pods} | {name_of(current), name_of(update)}
        for one in history.superfluous(owner, revisions, live):
            await self._place.delete(one)
        return soonest_available(pods, seen.min_ready, seen.now)

    async def _bump(self, owner: Object) -> None:
        status = owner.get("status") or {}
        count = int(status.get("collisionCount") or 0) + 1
        await self._place.write_status(owner, {"replicas": 0, **status, "collisionCount": count})

    async def _do(
        self, owner: Object, planned: planning.Plan, pods: list[Object], known: dict[str, Object]
    ) -> None:
        if is_going(owner):
            return
        await self._settle_claims(owner, planned, pods)
        for pod in planned.replace_failed:
            reason = "RecreatingFailedPod" if phase(pod) == "Failed" else "RecreatingTerminatedPod"
            state = "failed" if phase(pod) == "Failed" else "terminated"
            words = (
                f"StatefulSet {namespace_of(owner)}/{name_of(owner)} is recreating {state} Pod {name_of(pod)}"
            )
            self._place.events.warning(owner, reason, words)
        await all_of([self._delete(owner, pod) for pod in [*planned.replace_failed, *planned.delete]])
        await all_of(
            [
                self._create(owner, history.template_of(known[revision]), ordinal, revision)
                for ordinal, revision in planned.create
            ]
        )

    async def _create(self, owner: Object, template: Object, ordinal: int, revision: str) -> None:
        pod = identity.pod_for(owner, template, ordinal, revision)
        subject = f"Pod {name_of(pod)} in StatefulSet {name_of(owner)}"
        try:
            await self._make_claims(owner, pod, ordinal)
            await self._place.create(pod)
        except ApiError as error:
            if error.reason == "AlreadyExists" or is_terminating_namespace(error):
                return
            self._place.events.warning(
                owner, "FailedCreate", f"Create {subject} failed error: {error.message}"
            )
            raise
        self._place.events.normal(owner, "SuccessfulCreate", f"Create {subject} successful")

    async def _make_claims(self, owner: Object, pod: Object, ordinal: int) -> None:
        for claim in identity.claims_for(owner, ordinal):
            if self._claims.get(name_of(claim), namespace_of(claim)) is not None:
                continue
            references = volume_claims.owners(owner, None, condemned=False)
            if references:
                claim["metadata"]["ownerReferences"] = references
            await self._place.create(claim)
            words = (
                f"Create Claim {name_of(claim)} Pod {name_of(pod)} in StatefulSet {name_of(owner)} success"
            )
            self._place.events.normal(owner, "SuccessfulCreate", words)

    async def _settle_claims(self, owner: Object, planned: planning.Plan, pods: list[Object]) -> None:
        """Before a pod is deleted: what goes with it has to say so."""
        condemned = {uid_of(pod) for pod in planned.condemned}
        for pod in pods if identity.claim_templates(owner) else ():
            ordinal = identity.ordinal_of(owner, pod)
            for wanted in identity.claims_for(owner, ordinal) if ordinal is not None else ():
                claim = self._claims.get(name_of(wanted), namespace_of(wanted))
                if claim is None or is_going(claim):
                    continue
                references = volume_claims.corrected(claim, owner, pod, condemned=uid_of(pod) in condemned)
                if references is not None:
                    change = {"uid": uid_of(claim), "ownerReferences": references or None}
                    await self._place.patch(claim, {"metadata": change})

    async def _delete(self, owner: Object, pod: Object) -> None:
        subject = f"Pod {name_of(pod)} in StatefulSet {name_of(owner)}"
        try:
            there = await self._place.delete(pod)
        except ApiError as error:
            words = f"Delete {subject} failed error: {error.message}"
            self._place.events.warning(owner, "FailedDelete", words)
            raise
        if there:
            self._place.events.normal(owner, "SuccessfulDelete", f"Delete {subject} successful")


def make(place: Workplace) -> Loop:
    return StatefulSets(place).loop

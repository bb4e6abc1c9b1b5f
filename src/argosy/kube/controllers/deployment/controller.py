"""Looks at a Deployment and makes the next step of its rollout. Every change of a ReplicaSet calls for the next look."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from argosy.kit import clock
from argosy.kube.controllers.deployment import progress, revisions, sizes
from argosy.kube.controllers.pods import following, making, owning
from argosy.kube.controllers.pods.state import is_going, is_terminal
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, controller_of, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import DEPLOYMENT, POD, REPLICA_SET
from argosy.kube.reconcile.workplace import bare

_Asks: TypeAlias = Callable[[list[Object]], bool]


class Deployments:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._deployments, self._sets = place.copies.of(DEPLOYMENT), place.copies.of(REPLICA_SET)
        self._pods = place.copies.of(POD)
        self.loop = Loop("deployment", self._look, reads=(self._deployments, self._sets))
        self.loop.follow(self._deployments)
        following.follow_children(self._sets, self._deployments, self.loop)
        self._pods.on_change(self._pod_changed)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        """Recreate waits until the last old pod is gone."""
        if before is None or (after is not None and not is_terminal(after)):
            return
        owner = controller_of(before)
        replica_set = self._sets.get(owner["name"], namespace_of(before)) if owner else None
        parent = controller_of(replica_set) if replica_set else None
        if parent is not None:
            self.loop.add((namespace_of(before), parent["name"]))

    async def _look(self, name: Name) -> float | None:
        deployment = self._deployments.get(name[1], name[0])
        if deployment is None:
            return None
        sets = await owning.claim(self._place, deployment, deployment["spec"].get("selector"), self._sets)
        return await _Look(self._place, deployment, sets, self._old_pods_run).run()

    def _old_pods_run(self, sets: list[Object]) -> bool:
        return any(not is_terminal(pod) for one in sets for pod in self._pods.owned_by(uid_of(one))) or any(
            (one.get("status") or {}).get("replicas") for one in sets
        )


class _Look:
    """One look at one Deployment. `_draft` is what its status will say."""

    def __init__(self, place: Workplace, deployment: Object, sets: list[Object], old_pods_run: _Asks) -> None:
        self._place, self._deployment, self._sets = place, deployment, sets
        self._old_pods_run = old_pods_run
        self._draft = {**deployment, "status": progress.with_pause(deployment)}
        self._new = revisions.find_new(deployment, sets)
        self._old = [one for one in sets if one is not self._new]

    async def run(self) -> float | None:
        spec = self._deployment["spec"]
        if is_going(self._deployment):
            return await self._write(progress.counted(self._draft, self._new, self._old))
        if spec.get("paused") or self._was_scaled():
            await self._refresh()
            await self._resize(sizes.scaled(self._deployment, self._new, self._old), force=True)
            if spec.get("paused"):
                await self._clean_up()
            return await self._write(progress.counted(self._draft, self._new, self._old))
        if sizes.rolls(self._deployment):
            await self._roll()
        else:
            await self._recreate()
        return await self._write(progress.rolled(self._draft, self._new, self._old, clock.now()))

    def _was_scaled(self) -> bool:
        wanted = str(sizes.replicas(self._deployment))
        return any(
            sizes.replicas(one) and annotations_of(one).get(sizes.DESIRED, wanted) != wanted
            for one in self._sets
        )

    async def _roll(self) -> None:
        new = await self._with_new()
        wanted = sizes.new_size(self._deployment, [*self._old, new], sizes.replicas(new))
        if await self._resize({name_of(new): wanted}):
            return
        active = [one for one in self._old if sizes.replicas(one)]
        if active and await self._resize(sizes.shrunk(self._deployment, new, active)):
            return
        if progress.is_complete(self._deployment, self._deployment.get("status") or {}):
            await self._clean_up()

    async def _recreate(self) -> None:
        await self._refresh()
        if await self._resize({name_of(one): 0 for one in self._old if sizes.replicas(one)}):
            return
        if self._old_pods_run(self._old):
            return
        new = await self._with_new()
        await self._resize({name_of(new): sizes.replicas(self._deployment)})
        if progress.is_complete(self._deployment, self._deployment.get("status") or {}):
            await self._clean_up()

    async def _refresh(self) -> None:
        """What the new ReplicaSet carries of the Deployment, and the Deployment's own revision."""
        if self._new is None:
            return
        changed = revisions.refreshed(self._deployment, self._new, self._old)
        if changed is not None:
            self._new = await self._place.replace(changed)
        self._mark(revisions.revision(self._new))
        status = self._draft["status"]
        if progress.has_deadline(self._deployment) and not any(
            one["type"] == "Progressing" for one in status.get("conditions") or ()
        ):
            words = f'Found new replica set "{name_of(self._new)}"'
            self._draft["status"] = progress.said(self._deployment, status, "FoundNewReplicaSet", words)

    async def _with_new(self) -> Object:
        if self._new is not None:
            await self._refresh()
            return self._new
        wanted = revisions.new_replica_set(self._draft, self._old)
        try:
            self._new = made = await self._place.create(wanted)
        except ApiError as error:
            await self._not_made(wanted, error)
            raise
        count = sizes.replicas(made)
        if count:
            self._tell(f"Scaled up replica set {name_of(made)} from 0 to {count}")
        self._mark(revisions.revision(made))
        if progress.has_deadline(self._deployment):
            words = f'Created new replica set "{name_of(made)}"'
            self._draft["status"] = progress.said(
                self._deployment, self._draft["status"], "NewReplicaSetCreated", words
            )
        return made

    async def _not_made(self, wanted: Object, error: ApiError) -> None:
        """Something else has its name: the next look makes another one. Everything else is for people to see."""
        if making.is_terminating_namespace(error):
            return
        status = self._draft["status"]
        if error.reason == "AlreadyExists":
            taken = await self._place.client.find(REPLICA_SET, name_of(wanted), namespace_of(wanted))
            if taken is None or self._is_ours(taken):
                return
            status = {**status, "collisionCount": int(status.get("collisionCount") or 0) + 1}
        else:
            words = f'Failed to create new replica set "{name_of(wanted)}": {error.message}'
            self._place.events.warning(self._deployment, "ReplicaSetCreateError", words)
            if progress.has_deadline(self._deployment):
                status = progress.said(
                    self._deployment, status, "ReplicaSetCreateError", words, state="False"
                )
        await self._write(status)

    def _is_ours(self, found: Object) -> bool:
        owner = controller_of(found)
        return (
            owner is not None
            and owner["uid"] == uid_of(self._deployment)
            and revisions.same_template(self._deployment, found)
        )

    async def _resize(self, wanted: dict[str, int], *, force: bool = False) -> bool:
        """Whether one has another size now. `force`: also when only the annotations about sizes are old."""
        scaled = False
        marks = revisions.size_annotations(self._deployment)
        for one in [*self._old, *([self._new] if self._new else [])]:
            size = wanted.get(name_of(one))
            before = sizes.replicas(one)
            if size is None or (
                size == before and (not force or marks.items() <= annotations_of(one).items())
            ):
                continue
            changed = await self._place.replace(_sized(one, size, marks))
            self._exchange(one, changed)
            if size != before:
                scaled = True
                way = "up" if before < size else "down"
                self._tell(f"Scaled {way} replica set {name_of(one)} from {before} to {size}")
        return scaled

    def _exchange(self, before: Object, after: Object) -> None:
        if before is self._new:
            self._new = after
        else:
            self._old = [after if one is before else one for one in self._old]

    async def _clean_up(self) -> None:
        for one in revisions.to_clean_up(self._deployment, self._old):
            await self._place.delete(one, unchanged=True)

    def _mark(self, revision: int) -> None:
        annotations = {**annotations_of(self._draft), revisions.REVISION: str(revision)}
        self._draft["metadata"] = {**self._draft["metadata"], "annotations": annotations}

    def _tell(self, words: str) -> None:
        self._place.events.normal(self._deployment, "ScalingReplicaSet", words)

    async def _write(self, status: Object) -> float | None:
        """The revision travels with the status."""
        before = self._deployment
        if bare(before.get("status") or {}) != bare(status) or annotations_of(before) != annotations_of(
            self._draft
        ):
            await self._place.write_status({**self._draft, "status": {}}, status)
        return progress.next_check(self._deployment, status, clock.now())


def _sized(replica_set: Object, size: int, marks: dict[str, str]) -> Object:
    annotations = {**annotations_of(replica_set), **marks}
    return {
        **replica_set,
        "metadata": {**replica_set["metadata"], "annotations": annotations},
        "spec": {**replica_set["spec"], "replicas": size},
    }


def make(place: Workplace) -> Loop:
    return Deployments(place).loop

"""Gives each pod a node, as kube-scheduler would, or says why it cannot. What cannot be placed waits for a change that may help."""

from __future__ import annotations

from argosy.kube.errors import ApiError
from argosy.kube.nodes.scheduling.fitting import Load, choose, requests
from argosy.kube.nodes.scheduling.neighbours import keeps_others_away, looks_around
from argosy.kube.nodes.scheduling.spreading import is_spread
from argosy.kube.nodes.scheduling.surroundings import Placed, Surroundings
from argosy.kube.objects import Object, labels_of, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CLAIM, NAMESPACE, NODE, POD
from argosy.kube.reconcile.queue import name_in
from argosy.kube.reconcile.times import stamp

_NAME = "default-scheduler"


class Scheduler:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._pods, self._nodes = place.copies.of(POD), place.copies.of(NODE)
        self._claims = place.copies.of(CLAIM)
        self._namespaces = place.copies.of(NAMESPACE)
        self._homes: dict[str, Placed] = {}
        """Of each placed pod, those included whose binding has not come back yet."""
        self._shy: dict[str, Placed] = {}
        self._loads: dict[str, Load] = {}
        self._waiting: dict[Name, bool] = {}
        """Whether what is waited for may be the coming of another pod."""
        self.loop = Loop("scheduler", self._look, workers=10)
        self._pods.on_change(self._pod_changed)
        self._nodes.on_change(lambda _before, _after: self._try_again())
        self._claims.on_change(lambda _before, _after: self._try_again())

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        if after is None or (after.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
            gone = after or before
            if gone is not None and self._leave(uid_of(gone)):
                self._try_again()
            if gone is not None:
                self._waiting.pop(name_in(gone), None)
        elif node := after["spec"].get("nodeName"):
            self._settle(after, node)
        elif _is_ours(after):
            self.loop.add_object(after)

    def _settle(self, pod: Object, node: str) -> None:
        home = self._homes.get(uid_of(pod))
        if home is not None and home.node == node and _weighs_the_same(home.pod, pod):
            self._homes[uid_of(pod)] = Placed(pod, node)
            return
        self._leave(uid_of(pod))
        placed = self._homes[uid_of(pod)] = Placed(pod, node)
        if keeps_others_away(pod):
            self._shy[uid_of(pod)] = placed
        load = self._loads.get(node) or Load(0, {})
        for name, value in requests(pod).items():
            load.asked[name] = load.asked.get(name, 0) + value
        self._loads[node] = load._replace(pods=load.pods + 1)
        self._try_again(came=True)

    def _leave(self, uid: str) -> bool:
        home = self._homes.pop(uid, None)
        if home is None:
            return False
        self._shy.pop(uid, None)
        load = self._loads[home.node]
        for name, value in requests(home.pod).items():
            load.asked[name] -= value
        self._loads[home.node] = load._replace(pods=load.pods - 1)
        return True

    def _try_again(self, *, came: bool = False) -> None:
        """`came`: nothing but a pod, which only some wait for."""
        for name in [name for name, for_pods in self._waiting.items() if for_pods or not came]:
            del self._waiting[name]
            self.loop.add(name)

    async def _look(self, name: Name) -> None:
        pod = self._pods.get(name[1], name[0])
        if pod is None or pod["spec"].get("nodeName") or not _is_ours(pod) or uid_of(pod) in self._homes:
            return
        trouble = self._claims_missing(pod)
        node = ""
        if not trouble:
            node, trouble = choose(pod, self._around(), self._loads)
        if node:
            await self._bind(pod, node)
        else:
            self._waiting[name] = looks_around(pod) or is_spread(pod)
            await self._say(pod, trouble)

    def _around(self) -> Surroundings:
        return Surroundings(
            nodes={name_of(node): node for node in self._nodes},
            placed=self._homes.values(),
            shy=self._shy.values(),
            namespaces=lambda name: labels_of(self._namespaces.get(name) or {}),
        )

    def _claims_missing(self, pod: Object) -> str:
        for volume in pod["spec"].get("volumes") or ():
            claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if volume.get("ephemeral"):
                claim = f"{name_of(pod)}-{volume['name']}"
            if not claim:
                continue
            found = self._claims.get(claim, namespace_of(pod))
            if found is None:
                return f'persistentvolumeclaim "{claim}" not found'
            if "deletionTimestamp" in found["metadata"]:
                return f'persistentvolumeclaim "{claim}" is being deleted'
            if (found.get("status") or {}).get("phase") == "Lost":
                return f'persistentvolumeclaim "{claim}" bound to non-existent persistentvolume'
            if (found.get("status") or {}).get("phase") != "Bound":
                return "pod has unbound immediate PersistentVolumeClaims"
        return ""

    async def _bind(self, pod: Object, node: str) -> None:
        self._settle(pod, node)
        binding = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name_of(pod), "namespace": namespace_of(pod), "uid": uid_of(pod)},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node},
        }
        try:
            await self._place.client.create(
                binding, namespace=namespace_of(pod), name=name_of(pod), subresource="binding"
            )
        except ApiError as error:
            self._leave(uid_of(pod))
            if error.code in {404, 409}:  # gone, going, or somebody else placed it: its next change says so
                return
            raise
        words = f"Successfully assigned {namespace_of(pod)}/{name_of(pod)} to {node}"
        self._place.events.normal(pod, "Scheduled", words)

    async def _say(self, pod: Object, trouble: str) -> None:
        self._place.events.warning(pod, "FailedScheduling", trouble)
        conditions = (pod.get("status") or {}).get("conditions") or []
        known = next((one for one in conditions if one["type"] == "PodScheduled"), None)
        if known is not None and known.get("status") == "False" and known.get("message") == trouble:
            return
        condition = {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": trouble,
            "lastTransitionTime": (known or {}).get("lastTransitionTime") or stamp(),
            "observedGeneration": pod["metadata"].get("generation", 1),
        }
        change = {"metadata": {"uid": uid_of(pod)}, "status": {"conditions": [condition]}}
        try:
            await self._place.patch(pod, change, form="strategic", subresource="status")
        except ApiError as error:
            if error.code not in {404, 409}:
                raise


def _weighs_the_same(pod: Object, other: Object) -> bool:
    """To a node and to its neighbours."""
    return labels_of(pod) == labels_of(other) and requests(pod) == requests(other)


def _is_ours(pod: Object) -> bool:
    return (
        pod["spec"].get("schedulerName", _NAME) == _NAME
        and not pod["spec"].get("schedulingGates")
        and "deletionTimestamp" not in pod["metadata"]
    )

"""Plays a scenario at a cluster where somebody follows Applications: the embedded engine or the real Argo CD, which is all the same here.

Controllers there are none: what they would do stands in the scenario, so that nothing happens by the way. Nothing is asked twice: a
step that waits watches.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterable
from contextlib import aclosing
from typing import Any, Protocol

from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, metadata, name_of, namespace_of
from argosy.kube.types import Kind
from tests.conformance.argo_cd.objects import CLUSTER_WIDE, kind_of, made, state
from tests.conformance.argo_cd.scenario import Scenario, ScenarioError, Values

APPLICATION, _SET = kind_of("Application"), kind_of("ApplicationSet")
CONTROL = "argocd"
SERVER = "https://kubernetes.default.svc"
_REFRESH = "argocd.argoproj.io/refresh"
ASKED = "scenario/asked"
_ATTEMPTS = 10
_ENDED = {"Succeeded", "Failed", "Error"}
_PLACE = re.compile(r"\$(\w+)")


class Site(Protocol):
    """Where a scenario is played."""

    client: Client
    patience: float

    def repository(self, token: str) -> str:
        """The URL of the scenario's own."""

    def commit(
        self, token: str, objects: list[Object], files: dict[str, str], *, branch: str, tag: str
    ) -> str:
        """Everything that is in the repository from now on; answers the revision."""

    async def saw(self, obj: Object) -> None:
        """Until the one under test knows what was just written."""


class Play:
    """`looks` are what the scenario comes to: the applications and the objects at each look, the last of them at its end."""

    def __init__(self, scenario: Scenario, site: Site, token: str) -> None:
        self.scenario, self.site, self.token = scenario, site, token
        self.client = site.client
        self.known = {"id": token, "repo": site.repository(token), "server": SERVER}
        self.revisions: list[str] = []
        self.looks: list[tuple[list[Object], list[Object]]] = []
        self._kinds = {kind_of(name) for name in scenario.kinds}

    async def run(self) -> None:
        try:
            await self._begin()
        except ApiError as error:
            raise ScenarioError(f"{self.scenario.id}, as it is given: {error}") from error
        for number, step in enumerate(self.scenario.steps, 1):
            ((verb, said),) = step.items()
            try:
                await getattr(self, f"_{verb}")(self._fill(said))
            except (ScenarioError, ApiError, TimeoutError) as error:
                raise ScenarioError(f"{self.scenario.id}, step {number} ({verb}): {error}") from error
        if not self.scenario.steps or "look" not in self.scenario.steps[-1]:
            await self._look({})

    async def leave(self) -> None:
        """Takes off the cluster what others would meet."""
        await self._forget_sets()
        for app in await self._applications():
            patch = {"metadata": {"finalizers": None}}
            for act in (
                self.client.patch(APPLICATION, name_of(app), patch, namespace=namespace_of(app)),
                self.client.delete(APPLICATION, name_of(app), namespace_of(app)),
            ):
                try:
                    await act
                except ApiError as error:
                    if error.code != 404:
                        raise

    async def _forget_sets(self) -> None:
        """First, or they would make their applications anew."""
        for one in (await self.client.list(_SET, CONTROL)).items:
            if self.token in name_of(one):
                await self.client.patch(
                    _SET, name_of(one), {"metadata": {"finalizers": None}}, namespace=CONTROL
                )
                await self.client.delete(_SET, name_of(one), CONTROL)

    async def _begin(self) -> None:
        await self.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.token}})
        account = {
            "name": "default",
            "namespace": self.token,
        }  # no pod without one, and no controller makes it
        await self.client.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account})
        if self.scenario.project is not None:
            spec = self._fill(self.scenario.project)
            await self.site.saw(await self.client.create(_named("AppProject", self.token, spec=spec)))
        if self.scenario.git or self.scenario.files:
            said = {"objects": self.scenario.git, "files": self.scenario.files}
            await self._commit(self._fill(said))
        await self._live(self._fill(self.scenario.live))
        if self.scenario.app is not None:
            await self._create(self._fill(self.scenario.app))

    # What Git says.

    async def _commit(self, said: Values | list[Values]) -> None:
        if isinstance(said, list):
            said = {"objects": said}
        objects = [made(one) for one in said.get("objects") or []]
        self._kinds |= {_kind(obj) for obj in objects}
        revision = self.site.commit(
            self.token,
            objects,
            said.get("files") or {},
            branch=said.get("branch", "main"),
            tag=said.get("tag", ""),
        )
        self.revisions.append(revision)
        self.known[str(len(self.revisions))] = revision

    # What people do with applications.

    async def _create(self, said: Values) -> None:
        """And until it was looked at for the first time."""
        said = dict(said)
        name, namespace = said.pop("name", self.token), said.pop("namespace", CONTROL)
        source = {"repoURL": self.known["repo"], "path": ".", "targetRevision": "main"}
        about = {key: said.pop(key) for key in ("labels", "annotations", "finalizers") if key in said}
        looked = said.pop("until", "compared")
        top = {key: said.pop(key) for key in ("operation",) if key in said}
        has_source = "sources" not in said and said.get("source", {}) is not None
        spec = {
            "project": self.token if self.scenario.project is not None else "default",
            **({"source": {**source, **said.pop("source", {})}} if has_source else {}),
            "destination": {"server": SERVER, "namespace": self.token, **said.pop("destination", {})},
            **said,
        }
        app = _named("Application", name, namespace=namespace, spec=_pruned(spec), **top)
        app["metadata"] |= about
        await self.client.create(app)
        if looked == "compared":
            await self._until(_was_compared, name, "compared")

    async def _change(self, said: Values) -> None:
        said = dict(said)
        name = said.pop("app", self.token)
        await self.client.patch(APPLICATION, name, said, namespace=CONTROL)

    async def _refresh(self, said: Values | str) -> None:
        """`normal`, `hard`; or `{app: …, kind: …}`."""
        said = {"kind": said or "normal"} if isinstance(said, str) else said
        name = said.get("app", self.token)
        for attempt in range(_ATTEMPTS):
            annotations = {_REFRESH: said.get("kind", "normal"), ASKED: str(attempt)}
            change = {"metadata": {"annotations": annotations}}
            await self.client.patch(APPLICATION, name, change, namespace=CONTROL)
            try:
                async with asyncio.timeout(self.site.patience / _ATTEMPTS):
                    return await self._until(
                        lambda app: _REFRESH not in annotations_of(app), name, "refreshed"
                    )
            except TimeoutError:
                continue  # the real one overlooks a request that comes while it writes
        raise ScenarioError(f"{name} never was refreshed")

    async def _sync(self, said: Values) -> None:
        """By hand, until it has ended and what came of it was looked at."""
        await self._start(said)
        holds = _is_over if said.get("dryRun") else _has_ended
        await self._until(holds, said.get("app", self.token), "an ended sync")

    async def _start(self, said: Values) -> None:
        said = dict(said)
        name = said.pop("app", self.token)
        operation = {"initiatedBy": {"username": "admin"}}
        operation |= {key: said.pop(key) for key in ("retry", "info", "initiatedBy") if key in said}
        change = {"operation": {**operation, "sync": said}, "status": {"operationState": None}}
        app = await self.client.get(APPLICATION, name, CONTROL)
        await self.site.saw(app)
        if not app.get("status"):
            change.pop("status")
        await self.client.patch(APPLICATION, name, change, namespace=CONTROL)

    async def _ended(self, said: Values) -> None:
        await self._until(_has_ended, said.get("app", self.token), "an ended sync")

    async def _terminate(self, said: Values) -> None:
        name = said.get("app", self.token)
        change = {"status": {"operationState": {"phase": "Terminating"}}}
        await self.client.patch(APPLICATION, name, change, namespace=CONTROL)
        await self._until(_has_ended, name, "a terminated sync")

    async def _remove(self, said: Values) -> None:
        await self.client.delete(APPLICATION, said.get("app", self.token), CONTROL)

    # What people and controllers do with objects.

    async def _live(self, said: list[Values]) -> None:
        for one in said:
            obj = made(one)
            self._kinds.add(_kind(obj))
            if obj["kind"] not in CLUSTER_WIDE and not namespace_of(obj):
                obj["metadata"]["namespace"] = self.token
            await self.site.saw(await self.client.create(obj))

    async def _patch(self, said: Values) -> None:
        for target, change in said.items():
            kind, namespace, name = self._target(target)
            await self.site.saw(await self.client.patch(kind, name, change, namespace=namespace))

    async def _status(self, said: Values) -> None:
        """A word for what its controller would write, or what it would write."""
        for target, word in said.items():
            kind, namespace, name = self._target(target)
            live = await self._appears(target)
            status = word if isinstance(word, dict) else state(kind.kind, word, live)
            change = {"status": status}
            await self.site.saw(
                await self.client.patch(kind, name, change, namespace=namespace, subresource="status")
            )

    async def _delete(self, said: str | list[str]) -> None:
        for target in [said] if isinstance(said, str) else said:
            kind, namespace, name = self._target(target)
            await self.client.delete(kind, name, namespace, propagation="Background")

    async def _going(self, said: str) -> None:
        kind, namespace, name = self._target(said)
        await self._watch(
            kind,
            namespace,
            name,
            lambda obj: obj is not None and "deletionTimestamp" in metadata(obj),
            "going",
        )

    async def _appears(self, said: str) -> Object:
        kind, namespace, name = self._target(said)
        return await self._watch(kind, namespace, name, lambda obj: obj is not None, "there") or {}

    async def _gone(self, said: str | list[str]) -> None:
        for target in [said] if isinstance(said, str) else said:
            kind, namespace, name = self._target(
                target if "/" in target else f"Application/{CONTROL}/{target}"
            )
            await self._watch(kind, namespace, name, lambda obj: obj is None, "gone")

    # What comes of it.

    async def _wait(self, said: Values) -> None:
        said = dict(said)
        name = said.pop("app", self.token)
        await self._until(lambda app: _holds(app, said), name, json.dumps(said))

    async def _look(self, said: Values) -> None:
        """At rest: after a refresh, unless it says that there is none to wait for."""
        for app in await self._applications():
            going = "deletionTimestamp" in metadata(app)
            if said.get("refresh", True) and not going and namespace_of(app) == CONTROL:
                await self._refresh({"app": name_of(app)})
        self.looks.append((await self._applications(), await self._objects()))

    async def _applications(self) -> list[Object]:
        listing = await self.client.list(APPLICATION)
        return [one for one in listing.items if self.token in name_of(one) or self.token in namespace_of(one)]

    async def _objects(self) -> list[Object]:
        found: list[Object] = []
        for kind in sorted(self._kinds - {APPLICATION}):
            try:
                listing = await self.client.list(kind)
            except ApiError as error:
                if error.code != 404:
                    raise
                continue
            found += [
                one
                for one in listing.items
                if (self.token in namespace_of(one) or self.token in name_of(one)) and not _is_usual(one)
            ]
        return found

    # How it is done.

    async def _until(self, holds: Callable[[Object], bool], name: str, what: str) -> None:
        await self._watch(APPLICATION, CONTROL, name, lambda app: app is not None and holds(app), what)

    async def _watch(
        self, kind: Kind, namespace: str, name: str, holds: Callable[[Object | None], bool], what: str
    ) -> Object | None:
        seen: Object | None = None
        try:
            async with asyncio.timeout(self.site.patience):
                listing = await self.client.list(kind, namespace, fields=f"metadata.name={name}")
                seen = next(iter(listing.items), None)
                if holds(seen):
                    return seen
                watched = self.client.watch(
                    kind, namespace, fields=f"metadata.name={name}", revision=listing.revision
                )
                async with aclosing(watched) as events:
                    async for event in events:
                        if event.type == "BOOKMARK":
                            continue
                        seen = None if event.type == "DELETED" else event.object
                        if holds(seen):
                            return seen
        except TimeoutError:
            shown = json.dumps(
                {key: seen[key] for key in ("spec", "operation", "status") if key in seen} if seen else None
            )
            raise ScenarioError(f"{kind.kind} {name} never was {what}; the last was {shown}") from None
        raise ScenarioError(f"{kind.kind} {name}: the watch ended")

    def _target(self, said: str) -> tuple[Kind, str, str]:
        """`Kind/name`, `Kind/namespace/name`."""
        kind, _, rest = said.partition("/")
        namespace, _, name = rest.rpartition("/")
        wide = kind in CLUSTER_WIDE
        return kind_of(kind), "" if wide else namespace or self.token, name

    def _fill(self, value: Any) -> Any:
        """`$id`, `$repo`, `$1` (the first commit) replaced everywhere."""
        if isinstance(value, str):
            return _PLACE.sub(lambda found: self.known.get(found[1], found[0]), value)
        if isinstance(value, dict):
            return {self._fill(key): self._fill(one) for key, one in value.items()}
        return [self._fill(one) for one in value] if isinstance(value, list) else value


def _named(kind: str, name: str, *, namespace: str = CONTROL, **rest: object) -> Object:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": metadata, **rest}


def _kind(obj: Object) -> Kind:
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    return Kind(group, version, str(obj["kind"]))


def _is_usual(obj: Object) -> bool:
    return obj["kind"] == "ServiceAccount" and name_of(obj) == "default"


def _pruned(value: Values) -> Values:
    """Without what a scenario takes away by null."""
    return {
        key: _pruned(one) if isinstance(one, dict) else one for key, one in value.items() if one is not None
    }


def _status_of(app: Object) -> Object:
    return app.get("status") or {}


def _was_compared(app: Object) -> bool:
    status = _status_of(app)
    return bool((status.get("sync") or {}).get("status")) and bool(
        status.get("reconciledAt") or status.get("conditions")
    )


def _is_over(app: Object) -> bool:
    phase = (_status_of(app).get("operationState") or {}).get("phase")
    return phase in _ENDED and not app.get("operation")


def _has_ended(app: Object) -> bool:
    """And was looked at since: what it says of itself is from after the sync."""
    status = _status_of(app)
    operation = status.get("operationState") or {}
    return _is_over(app) and str(status.get("reconciledAt", "")) >= str(operation.get("finishedAt", ""))


def _holds(app: Object, said: Values) -> bool:
    status = _status_of(app)
    operation = status.get("operationState") or {}
    conditions = {one["type"] for one in status.get("conditions") or ()}
    for what, wanted in said.items():
        match what:
            case "sync":
                found: bool = (status.get("sync") or {}).get("status") == wanted
            case "health":
                found = (status.get("health") or {}).get("status") == wanted
            case "phase":
                found = operation.get("phase") == wanted and (
                    wanted not in _ENDED or not app.get("operation")
                )
            case "message":
                found = wanted in operation.get("message", "")
            case "revision":
                found = (status.get("sync") or {}).get("revision") == wanted
            case "condition":
                found = wanted in conditions
            case "without":
                found = wanted not in conditions
            case "history":
                found = len(status.get("history") or ()) == wanted
            case "retried":
                found = operation.get("retryCount", 0) == wanted
            case "healed":
                sync = (operation.get("operation") or {}).get("sync") or {}
                found = sync.get("autoHealAttemptsCount", 0) == wanted
            case "finalizer":
                found = wanted in (metadata(app).get("finalizers") or ())
            case "running":
                results = (operation.get("syncResult") or {}).get("resources") or ()
                found = any(_is_running(one, wanted) for one in results)
            case "resources":
                found = _resources_hold(status.get("resources") or (), wanted)
            case _:
                raise ScenarioError(f"nobody knows how to wait for {what}")
        if not found:
            return False
    return True


def _is_running(result: Object, wanted: str) -> bool:
    """`Pod/migrate PostSync`"""
    name = f"{result['kind']}/{result['name']} {result.get('hookType', '')}".strip()
    return name == wanted and result.get("hookPhase") == "Running"


def _resources_hold(found: Iterable[Object], wanted: Values) -> bool:
    """`Deployment/web: Healthy`, a health or a state."""
    states = {
        f"{one['kind']}/{one['name']}": {one.get("status"), (one.get("health") or {}).get("status")}
        for one in found
    }
    return all(word in states.get(name, ()) for name, word in wanted.items())

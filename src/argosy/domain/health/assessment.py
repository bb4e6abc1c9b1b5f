"""The health of one object: what is going away, then what argocd-cm says, then what is built in. Called for every object of an application."""

from __future__ import annotations

from argosy.domain import lua
from argosy.domain.health import builtin
from argosy.domain.health.hooks import has_hook_finalizer
from argosy.domain.health.model import PROGRESSING, RANK, UNKNOWN, Health
from argosy.domain.health.reading import part
from argosy.domain.health.scripts import Script, Scripts
from argosy.kube.objects import Object


def health_of(obj: Object, scripts: Scripts | None = None) -> Health | None:
    """None: there is no rule for its kind, which counts as fine."""
    key = builtin.key_of(obj)
    script = scripts.health_of(key) if scripts is not None and scripts.of_kind else None
    if part(obj, "metadata").get("deletionTimestamp") is not None and not has_hook_finalizer(obj):
        return _going(obj, script, key)
    if script is not None and (health := _scripted(obj, script, key)) is not None:
        return health
    return builtin.judge(key, obj)


def _going(obj: Object, script: Script | None, key: str) -> Health:
    """A script may know better what is waited for: it says so in `deletionMessage`."""
    if script is not None:
        said = _run(obj, script, key)
        if (
            isinstance(said, dict)
            and isinstance(said.get("deletionMessage"), str)
            and said.get("status") in RANK
        ):
            return Health(said["status"], said["deletionMessage"])
    finalizers = part(obj, "metadata").get("finalizers")
    names = [name for name in finalizers if isinstance(name, str)] if isinstance(finalizers, list) else []
    return Health(
        PROGRESSING, f"Pending deletion: waiting for {', '.join(names)}" if names else "Pending deletion"
    )


def _scripted(obj: Object, script: Script, key: str) -> Health | None:
    said = _run(obj, script, key)
    if said is None or isinstance(said, Health):
        return said
    if not isinstance(said, dict):
        if isinstance(said, list):  # an empty table: no status, and so no fault
            return Health("")
        return Health(UNKNOWN, f"{key}: expect table output from Lua script, not {_kind(said)}")
    status, message = said.get("status", ""), said.get("message", "")
    if not isinstance(status, str) or not isinstance(message, str):
        return Health("")
    return (
        Health(status, message)
        if status in RANK
        else Health(UNKNOWN, "Lua returned an invalid health status")
    )


def _run(obj: Object, script: Script, key: str) -> object:
    try:
        return lua.run(script.health, _shown(obj), name=f"health of {key}", open_libs=script.open_libs)
    except lua.LuaError as error:
        return Health(UNKNOWN, str(error))


def _shown(obj: Object) -> Object:
    """Who manages which field says nothing of health, and is most of many objects."""
    metadata = part(obj, "metadata")
    if "managedFields" not in metadata:
        return obj
    return {**obj, "metadata": {name: value for name, value in metadata.items() if name != "managedFields"}}


def _kind(value: object) -> str:
    return {bool: "boolean", int: "number", float: "number", str: "string"}.get(
        type(value), type(value).__name__
    )

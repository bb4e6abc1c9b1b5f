"""The actions that argocd-cm defines in Lua: a discovery script names them, a script for each carries it out."""

from __future__ import annotations

from typing import Literal

from argosy.argo.cd.actions.model import Action, ActionError, Change, Params
from argosy.domain import lua
from argosy.kube.objects import Object


def discover(script: str, obj: Object, key: str) -> list[Action]:
    found = _run(script, obj, f"action discovery of {key}", {})
    if found in ([], {}):
        return []
    if not isinstance(found, dict):
        raise ActionError(
            f"action discovery of {key}: expect table output from Lua script, not {_kind(found)}"
        )
    return [_action(name, found[name]) for name in sorted(found)]


def perform(script: str, obj: Object, params: Params, name: str, key: str) -> list[Change]:
    """The script answers the changed object, or a list of what to create and to patch."""
    where = f"action {name} of {key}"
    found = _run(script, obj, where, params)
    if isinstance(found, dict):
        return [Change("patch", lua.repaired(found, obj))]
    if not isinstance(found, list):
        raise ActionError(f"{where}: expect table output from Lua script, not {_kind(found)}")
    return [_change(one, obj, where) for one in found]


def _run(script: str, obj: Object, where: str, params: Params) -> object:
    try:
        return lua.run(script, obj, name=where, extra={"actionParams": dict(params)})
    except lua.LuaError as error:
        raise ActionError(str(error)) from error


def _action(name: str, said: object) -> Action:
    fields = said if isinstance(said, dict) else {}
    params = fields.get("params")
    listed = [one for one in params if isinstance(one, dict)] if isinstance(params, list) else []
    return Action(
        name,
        disabled=fields.get("disabled") is True,
        display_name=str(fields.get("displayName") or ""),
        icon=str(fields.get("iconClass") or ""),
        params=tuple((str(one.get("name") or ""), str(one.get("default") or "")) for one in listed),
    )


def _change(said: object, source: Object, where: str) -> Change:
    fields = said if isinstance(said, dict) else {}
    operation, obj = fields.get("operation"), fields.get("resource")
    if operation not in {"create", "patch"}:
        raise ActionError(f"{where}: unsupported operation: {operation}")
    if not isinstance(obj, dict):
        raise ActionError(f"{where}: the operation {operation} has no resource")
    checked: Literal["create", "patch"] = "create" if operation == "create" else "patch"
    return Change(checked, lua.repaired(obj, source) if checked == "patch" else obj)


def _kind(value: object) -> str:
    return {bool: "boolean", int: "number", float: "number", str: "string", list: "list"}.get(
        type(value), "nil"
    )

"""Which actions an object has, and carrying one out: those of argocd-cm first, then the built-in ones.

Who calls this has checked that the person may; what comes back is checked against the project, then applied.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from argosy.argo.cd.actions import argo, kubernetes, operators, scripted
from argosy.argo.cd.actions.model import Action, ActionError, Builtin, Change
from argosy.domain.health import Scripts
from argosy.domain.health.builtin import key_of
from argosy.kube.objects import Object

BUILTINS: Final[Mapping[str, tuple[Builtin, ...]]] = {
    **kubernetes.BUILTINS,
    **argo.BUILTINS,
    **operators.BUILTINS,
}


def actions_of(obj: Object, scripts: Scripts | None = None) -> list[Action]:
    """Raises `ActionError` when a discovery script fails."""
    key = key_of(obj)
    own = scripts.actions_of(key) if scripts is not None else None
    found = scripted.discover(own.discovery, obj, key) if own is not None and own.discovery else []
    if own is not None and not own.merged:
        return found
    known = {action.name for action in found}
    built_in = [one.offered(obj) for one in BUILTINS.get(key, ()) if one.shown(obj)]
    return found + [action for action in built_in if action.name not in known]


def perform(
    name: str, obj: Object, params: Mapping[str, str], scripts: Scripts | None, *, now: datetime
) -> list[Change]:
    """What to do for it. Raises `ActionError`: there is no such action, a parameter is wrong, a script failed."""
    key = key_of(obj)
    own = scripts.actions_of(key) if scripts is not None else None
    if own is not None and name in own.definitions:
        return scripted.perform(own.definitions[name], obj, params, name, key)
    builtin = next((one for one in BUILTINS.get(key, ()) if one.name == name), None)
    if builtin is None:
        raise ActionError(f"{key} has no action {name!r}")
    return builtin.perform(obj, params, now)

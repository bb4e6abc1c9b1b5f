"""The roles of a project, with their policies read. Who asks for access decides with them; what is wrong is said in Argo CD's words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from argosy.contracts.argo.project import Role

RESOURCES: Final = frozenset({"applications", "applicationsets", "logs", "exec", "clusters", "repositories"})
_ACTIONS: Final = frozenset({"get", "create", "update", "delete", "sync", "override", "rollback", "*"})
_ACTION = re.compile(r"(?:action|update|delete)/")
_NAME = re.compile(r"[a-zA-Z0-9](?:[-_a-zA-Z0-9]*[a-zA-Z0-9])?")


@dataclass(frozen=True, slots=True)
class Policy:
    """`object` is `project/application` or `project/namespace/application`, with stars."""

    role: str
    resource: str
    action: str
    object: str
    allows: bool


class BadRole(Exception):
    """What is wrong with a role, for the person who wrote it."""


def policies_of(project: str, role: Role) -> list[Policy]:
    """Raises `BadRole`."""
    if not _NAME.fullmatch(role.name):
        raise BadRole(
            f"invalid role name '{role.name}'. Must consist of alphanumeric characters, '-' or '_', and must start and end with "
            "an alphanumeric character"
        )
    return [_policy(project, role.name, line) for line in role.policies]


def _policy(project: str, role: str, line: str) -> Policy:
    parts = [part.strip() for part in line.split(",")]
    if len(parts) != 6 or parts[0] != "p":
        raise _wrong(line, "must be of the form: 'p, sub, res, act, obj, eft'")
    _, subject, resource, action, target, effect = parts
    if subject != f"proj:{project}:{role}":
        raise _wrong(line, f"policy subject must be: 'proj:{project}:{role}', not '{subject}'")
    if resource not in RESOURCES:
        names = "'applications', 'applicationsets', 'repositories', 'exec', 'logs' or 'clusters'"
        raise _wrong(line, f"project resource must be: {names}, not '{resource}'")
    if action not in _ACTIONS and not _ACTION.search(action):
        raise _wrong(line, f"invalid action '{action}'")
    if not re.fullmatch(rf"{re.escape(project)}(/[*\w.-]+)?/[*\w.-]+", target):
        forms = f"'{project}/*', '{project}[/<NAMESPACE>]/<APPNAME>' or '{project}/<APPNAME>'"
        raise _wrong(line, f"object must be of form {forms}, not '{target}'")
    if effect not in {"allow", "deny"}:
        raise _wrong(line, "effect must be: 'allow' or 'deny'")
    return Policy(role, resource, action, target, effect == "allow")


def _wrong(line: str, what: str) -> BadRole:
    return BadRole(f"invalid policy rule '{line}': {what}")

"""What rules may speak about: one table of entities, their actions and their attributes.

Everything that names an entity, an action or an attribute (rules, API-key scopes, the settings pages, the CLI) asks
this table, so a word it does not know is refused in one way everywhere. GitOps entities are narrowed by attributes,
pipelines-side ones by tags. `rules` checks whole rules against it; `engine` reads the implications.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from argosy.kit.errors import Invalid

LABEL = "LABEL"  # the one attribute that carries a key: LABEL(key, value)
EVERY_TAG = "*"
NO_TAGS = "untagged"


class Entity(msgspec.Struct, frozen=True):
    """A kind of thing that access is decided on."""

    name: str
    actions: tuple[str, ...]
    attributes: tuple[str, ...] = ()
    implies: Mapping[str, tuple[str, ...]] = {}
    tagged: bool = False
    related: tuple[str, ...] = ()
    """Entities whose tags a rule may look at instead of the resource's own (a pipeline's project)."""


_WORKFLOW_ACTIONS = ("CREATE", "STOP", "TERMINATE", "RESUBMIT", "RESTART", "ACCESS_LOGS", "ACCESS_ARTIFACTS")
_WORKFLOW_ATTRIBUTES = ("CLUSTER", "NAMESPACE", "RUNTIME", "GIT_SOURCE", LABEL)
_CRUD = ("create", "read", "update", "delete")

ENTITIES: Mapping[str, Entity] = {
    entity.name: entity
    for entity in (
        Entity(
            "applications",
            actions=(
                "VIEW",
                "REFRESH",
                "SYNC",
                "TERMINATE_SYNC",
                "APP_ROLLBACK",
                "VIEW_POD_LOGS",
                "ROLLOUT_PAUSE",
                "ROLLOUT_RESUME",
                "ROLLOUT_PROMOTE_FULL",
                "ROLLOUT_SKIP_CURRENT_STEP",
                "ROLLOUT_ABORT",
                "ROLLOUT_RETRY",
                "ROLLOUT_RESTART",
                "DELETE_RESOURCE",
                "EXEC_TO_POD",
            ),
            attributes=("CLUSTER", "NAMESPACE", "RUNTIME", "GIT_SOURCE", LABEL, "PRODUCT_NAME"),
            implies={"SYNC": ("REFRESH",)},
        ),
        Entity("environments", ("PROMOTE_TO",), ("ENVIRONMENT_NAME", "ENVIRONMENT_KIND")),
        Entity("products", ("TRIGGER_PROMOTION", "RETRY_RELEASE"), (LABEL, "PRODUCT_NAME")),
        Entity("promotion_flows", ("TRIGGER_PROMOTION",), (LABEL,)),
        Entity("workflows", _WORKFLOW_ACTIONS, _WORKFLOW_ATTRIBUTES),
        Entity("workflow_templates", _WORKFLOW_ACTIONS, _WORKFLOW_ATTRIBUTES),
        Entity("pipeline", (*_CRUD, "run", "approve", "debug"), tagged=True, related=("project",)),
        Entity("cluster", _CRUD, tagged=True),
        Entity("project", _CRUD, tagged=True),
        Entity("runtime-environment", _CRUD, tagged=True),
        Entity(
            "repositories",
            actions=("create", "read", "write", "admin"),
            attributes=("REPOSITORY_NAME",),
            implies={"write": ("read",), "admin": ("read", "write")},
        ),
    )
}


def refuse(field: str, message: str, cure: str) -> Invalid:
    """The one shape in which this package says that a value is not acceptable."""
    return Invalid(message, code="access_rule_invalid", cure=cure, context={"field": field})


def entity_named(name: str, field: str = "entity") -> Entity:
    entity = ENTITIES.get(name)
    if entity is None:
        raise refuse(field, f"{name!r} is not an entity", f"Use one of: {', '.join(ENTITIES)}.")
    return entity


def require_action(entity: Entity, action: str, field: str = "action") -> None:
    if action not in entity.actions:
        allowed = ", ".join(entity.actions)
        raise refuse(field, f"{action!r} is not an action of {entity.name}", f"Use one of: {allowed}.")


def require_attribute(entity: Entity, attribute: str, field: str = "attribute") -> None:
    if attribute not in entity.attributes:
        allowed = f"Use one of: {', '.join(entity.attributes)}."
        cure = allowed if entity.attributes else f"Narrow {entity.name} by tags."
        raise refuse(field, f"{attribute!r} is not an attribute of {entity.name}", cure)


def granted_by(entity: Entity, action: str) -> tuple[str, ...]:
    """An action and what comes with it: whoever may SYNC may REFRESH."""
    return (action, *entity.implies.get(action, ()))


@cache
def scopes_allowing(entity_name: str, action: str) -> frozenset[str]:
    """The API-key scopes any one of which lets this action through; also the check that both words exist."""
    entity = entity_named(entity_name)
    require_action(entity, action)
    narrow = (f"{entity.name}:{wide}" for wide in entity.actions if action in granted_by(entity, wide))
    return frozenset((entity.name, *narrow))

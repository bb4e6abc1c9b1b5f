"""The nouns of access: who asks (Subject), about what (Resource), what is granted (Rule), and the answer (Decision).

Plain frozen data that travels between services unchanged. Stores build them, `rules` checks them, `engine` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

TagLogic = Literal["any", "all"]
Reason = Literal["rule", "admin", "no_rule", "scope", "other_account"]


class Condition(msgspec.Struct, frozen=True, omit_defaults=True):
    """One attribute must match any one of the values; `*` in a value stands for any run of characters."""

    attribute: str
    values: tuple[str, ...]
    key: str = ""
    """The label's key, when the attribute is LABEL."""


class Rule(msgspec.Struct, frozen=True, omit_defaults=True):
    """Members of any of the teams may do any of the actions where every condition holds. There are no deny rules."""

    id: str
    account: str
    name: str
    entity: str
    teams: tuple[str, ...]
    actions: tuple[str, ...]
    attributes: tuple[Condition, ...] = ()
    tags: tuple[str, ...] = ()
    tag_logic: TagLogic = "any"
    related_resource: str = ""
    """Look at the tags of this related entity instead of the resource's own."""
    enabled: bool = True


class Subject(msgspec.Struct, frozen=True):
    """A user or service account acting in one account, through a session (no scopes) or an API key."""

    id: str
    account: str
    teams: frozenset[str] = frozenset()
    is_admin: bool = False
    scopes: frozenset[str] | None = None
    """None: unrestricted. Otherwise only `entity` or `entity:action` named here, for admins too."""


class Resource(msgspec.Struct, frozen=True):
    """What is acted on, as far as rules can see it. For `create`, the thing as it would be."""

    entity: str
    id: str
    account: str
    attributes: Mapping[str, tuple[str, ...]] = {}
    labels: Mapping[str, str] = {}
    tags: tuple[str, ...] = ()
    related_tags: Mapping[str, tuple[str, ...]] = {}
    """Tags of related things by entity; absent means it has none."""


class Decision(msgspec.Struct, frozen=True):
    """The answer. `rule` is set exactly when `reason` is "rule"."""

    allowed: bool
    reason: Reason
    rule: str = ""


class Failure(msgspec.Struct, frozen=True):
    """One thing a rule asked for and did not find. Teams and actions are listed by id and word."""

    what: str
    """`team`, `action`, `enabled`, `valid`, `tags`, `project tags`, an attribute, or `LABEL key`."""
    wanted: tuple[str, ...]
    actual: tuple[str, ...]


class Candidate(msgspec.Struct, frozen=True):
    """A rule about this entity; it grants exactly when nothing failed."""

    rule: str
    name: str
    granted: bool
    failures: tuple[Failure, ...]

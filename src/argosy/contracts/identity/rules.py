"""Access rules: which teams may do which actions on what; and why."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from argosy.contracts.identity.words import NamedRef
from argosy.contracts.paging import Id, Name, PageRequest, Text

Teams = Annotated[list[Id], msgspec.Meta(min_length=1, max_length=100)]
Actions = Annotated[list[Text], msgspec.Meta(min_length=1, max_length=50)]
Tags = Annotated[list[Text], msgspec.Meta(max_length=100)]
Values = Annotated[list[Text], msgspec.Meta(max_length=50)]


class RuleCondition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attribute and the values that satisfy it; `key` for labels. `*` in a value matches any run of characters."""

    attribute: Text
    values: Annotated[list[Text], msgspec.Meta(min_length=1, max_length=100)]
    key: Text = ""


Conditions = Annotated[list[RuleCondition], msgspec.Meta(max_length=20)]


class AccessRule(msgspec.Struct, frozen=True):
    id: str
    name: str
    entity: str
    teams: list[NamedRef]
    actions: list[str]
    conditions: list[RuleCondition]
    tags: list[str]
    tag_logic: Literal["any", "all"]
    enabled: bool
    created: datetime
    updated: datetime
    related_resource: str = ""  # look at the tags of this related entity (a pipeline's project) instead


class AccessRuleQuery(PageRequest, frozen=True, kw_only=True):
    entity: Text = ""
    team: Text = ""


class NewAccessRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    entity: Text
    teams: Teams
    actions: Actions
    conditions: Conditions = []
    tags: Tags = []
    tag_logic: Literal["any", "all"] = "any"
    related_resource: Text = ""
    enabled: bool = True


class AccessRuleChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    teams: Teams | None = None
    actions: Actions | None = None
    conditions: Conditions | None = None
    tags: Tags | None = None
    tag_logic: Literal["any", "all"] | None = None
    related_resource: Text | None = None
    enabled: bool | None = None


class Why(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """May `user` (id or e-mail) do `action` on this resource? The resource need not exist: its attributes are given."""

    user: Text
    action: Text
    entity: Text
    resource: Text = ""
    attributes: Annotated[dict[Text, Values], msgspec.Meta(max_length=20)] = {}
    labels: Annotated[dict[Text, Text], msgspec.Meta(max_length=50)] = {}
    tags: Tags = []
    related_tags: Annotated[dict[Text, Tags], msgspec.Meta(max_length=10)] = {}


class RuleVerdict(msgspec.Struct, frozen=True):
    rule: NamedRef
    applies: bool
    reason: str  # which condition failed, with what was wanted and what was found


class WhyAnswer(msgspec.Struct, frozen=True):
    allowed: bool
    sentence: str
    decided_by: Literal["admin", "rule", "no_rule", "scope", "other_account"]
    rules: list[RuleVerdict]


class EntityVocabulary(msgspec.Struct, frozen=True):
    name: str
    title: str
    actions: list[str]
    attributes: list[str]
    labelled: bool
    tagged: bool
    related: list[str] = []


class Vocabulary(msgspec.Struct, frozen=True):
    entities: list[EntityVocabulary]


class RulesForAccount(msgspec.Struct, frozen=True):
    """All rules of one account with their version, for a service that decides on its own resources."""

    version: int
    rules: list[AccessRule]

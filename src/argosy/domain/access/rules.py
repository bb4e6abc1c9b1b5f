"""What one rule means: `check_rule` refuses what makes no sense, `requirements` turns the rest into predicates.

This is the only place that interprets conditions and tags, so deciding, explaining and filtering cannot disagree.
`check_rule` is called by the service that stores rules and again by `engine.RuleSet`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from argosy.domain.access.globs import MOST_STARS, STAR, is_glob
from argosy.domain.access.model import Condition, Rule
from argosy.domain.access.predicate import (
    All,
    Glob,
    LabelGlob,
    LabelIs,
    Nothing,
    OneOf,
    Or,
    Predicate,
    TagsAll,
    TagsAny,
    Untagged,
)
from argosy.domain.access.simplify import simplify
from argosy.domain.access.vocabulary import (
    EVERY_TAG,
    LABEL,
    NO_TAGS,
    Entity,
    entity_named,
    refuse,
    require_action,
    require_attribute,
)

LONGEST_TEXT = 256
MOST_ITEMS = 200


class Requirement(msgspec.Struct, frozen=True):
    """One thing a rule asks of a resource, in words for people and as a predicate for machines."""

    field: str
    wanted: tuple[str, ...]
    predicate: Predicate
    key: str = ""
    of: str = ""


def check_rule(rule: Rule) -> None:
    """Raises Invalid naming the first field that is wrong and what would be right."""
    entity = entity_named(rule.entity)
    _check_text("name", rule.name)
    _check_list("teams", rule.teams)
    _check_list("actions", rule.actions)
    for number, action in enumerate(rule.actions):
        require_action(entity, action, f"actions[{number}]")
    if len(rule.attributes) > MOST_ITEMS:
        raise refuse("attributes", "too many conditions", f"Keep it to {MOST_ITEMS}.")
    for number, condition in enumerate(rule.attributes):
        _check_condition(entity, condition, f"attributes[{number}]")
    _check_tags(entity, rule)


def _check_condition(entity: Entity, condition: Condition, field: str) -> None:
    require_attribute(entity, condition.attribute, f"{field}.attribute")
    _check_list(f"{field}.values", condition.values)
    for number, value in enumerate(condition.values):
        if value.count(STAR) > MOST_STARS:
            where = f"{field}.values[{number}]"
            raise refuse(where, "too many wildcards in one value", f"Use at most {MOST_STARS} `*`.")
    if condition.attribute == LABEL:
        _check_text(f"{field}.key", condition.key)
    elif condition.key:
        raise refuse(
            f"{field}.key", f"{condition.attribute} has no key", f"Only {LABEL} takes a key; leave it out."
        )


def _check_tags(entity: Entity, rule: Rule) -> None:
    if not entity.tagged:
        if rule.tags:
            raise refuse("tags", f"{entity.name} have no tags", "Narrow the rule by attributes.")
    elif not rule.tags:
        raise refuse(
            "tags", "at least one tag is needed", f"Use `{EVERY_TAG}` for all, `{NO_TAGS}` for those without."
        )
    else:
        _check_list("tags", rule.tags)
    if rule.tag_logic not in ("any", "all"):
        raise refuse("tag_logic", f"{rule.tag_logic!r} is not a tag logic", "Use one of: any, all.")
    if rule.related_resource and rule.related_resource not in entity.related:
        allowed = f"Use one of: {', '.join(entity.related)}." if entity.related else "Leave it out."
        message = f"{rule.related_resource!r} is not related to {entity.name}"
        raise refuse("related_resource", message, allowed)


def _check_list(field: str, values: tuple[str, ...]) -> None:
    if not values:
        raise refuse(field, f"{field} must not be empty", "Name at least one.")
    if len(values) > MOST_ITEMS:
        raise refuse(
            field, f"{field} has {len(values)} items", f"Keep it to {MOST_ITEMS}, or split the rule."
        )
    for number, value in enumerate(values):
        _check_text(f"{field}[{number}]", value)


def _check_text(field: str, text: str) -> None:
    # Unprintable covers NUL and lone surrogates, which PostgreSQL cannot store at all.
    if not text or len(text) > LONGEST_TEXT or not text.isprintable():
        message = f"{field} is empty, too long or not printable"
        raise refuse(field, message, f"Use 1 to {LONGEST_TEXT} printable characters.")


def requirements(rule: Rule) -> tuple[Requirement, ...]:
    """All of these must hold for the rule to grant; none of them means every resource of the entity."""
    return tuple(_requirements(rule))


def _requirements(rule: Rule) -> Iterator[Requirement]:
    for condition in rule.attributes:
        predicate = simplify(_condition_predicate(condition))
        yield Requirement(condition.attribute, condition.values, predicate, key=condition.key)
    if rule.tags:
        predicate = simplify(_tags_predicate(rule))
        yield Requirement("tags", rule.tags, predicate, of=rule.related_resource)


def _condition_predicate(condition: Condition) -> Predicate:
    literals = tuple(value for value in condition.values if not is_glob(value))
    patterns = tuple(value for value in condition.values if is_glob(value))
    if condition.attribute == LABEL:
        return Or((LabelIs(condition.key, literals), LabelGlob(condition.key, patterns)))
    return Or((OneOf(condition.attribute, literals), Glob(condition.attribute, patterns)))


def _tags_predicate(rule: Rule) -> Predicate:
    of = rule.related_resource
    named = tuple(tag for tag in rule.tags if tag not in (EVERY_TAG, NO_TAGS))
    untagged = NO_TAGS in rule.tags
    if rule.tag_logic == "any":
        if EVERY_TAG in rule.tags:
            return All()
        return Or((TagsAny(named, of), Untagged(of) if untagged else Nothing()))
    if untagged:
        return Nothing() if named else Untagged(of)
    return TagsAll(named, of)

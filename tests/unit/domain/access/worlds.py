"""Random worlds for the property tests: few names, so that rules and resources meet often, and nasty ones among them."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argosy.domain.access import ENTITIES, Condition, Resource, Rule, RuleSet, Subject

ACCOUNT, OTHER_ACCOUNT = "acme", "globex"
TEAMS = ("dev", "ops", "qa")
WORDS = (
    "prod",
    "PROD-EU",
    "prod-eu",
    "pröd",
    "a_b",
    "a%b",
    "axb",
    "q\"uo'te",
    "back\\slash",
    "untagged",
    "",
    "$1",
)
PATTERNS = (
    "prod",
    "prod*",
    "*",
    "*-eu",
    "p*d",
    "a_b",
    "a%b",
    "a*b",
    "**",
    "*\\*",
    "prod*eu*",
    "q\"uo'te",
    "$1",
)
LABEL_KEYS = ("team", "ti\"er'", "a.b/c")
TAGS = ("red", "green", "blue")
ENTITY_NAMES = ("applications", "environments", "products", "pipeline", "cluster")


def for_every(*strategies: st.SearchStrategy[object]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A property of whatever the strategies draw; a busy machine is not a failure."""
    unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
    return lambda test: unhurried(given(*strategies)(test))


teams = st.sets(st.sampled_from(TEAMS), max_size=3)
accounts = st.sampled_from((*[ACCOUNT] * 11, OTHER_ACCOUNT))


def some(values: tuple[str, ...], most: int = 3, least: int = 1) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), min_size=least, max_size=most, unique=True).map(tuple)


@st.composite
def conditions(draw: st.DrawFn, entity: str) -> Condition:
    attribute = draw(st.sampled_from(ENTITIES[entity].attributes))
    key = draw(st.sampled_from(LABEL_KEYS)) if attribute == "LABEL" else ""
    return Condition(attribute, draw(some(PATTERNS)), key)


@st.composite
def rules(draw: st.DrawFn, entity: str, identity: str = "r0", account: str = ACCOUNT) -> Rule:
    kind = ENTITIES[entity]
    attributes = draw(st.lists(conditions(entity), max_size=2).map(tuple)) if kind.attributes else ()
    return Rule(
        id=identity,
        account=account,
        name=f"rule {identity}",
        entity=entity,
        teams=draw(some(TEAMS)),
        actions=draw(some(kind.actions, most=4)),
        attributes=attributes,
        tags=draw(some((*TAGS, "*", "untagged"))) if kind.tagged else (),
        tag_logic=draw(st.sampled_from(("any", "all"))),
        related_resource=draw(st.sampled_from(("", *kind.related))),
        enabled=draw(st.booleans() | st.just(True)),
    )


@st.composite
def rule_lists(draw: st.DrawFn, entity: str, most: int = 6) -> list[Rule]:
    count = draw(st.integers(0, most))
    return [draw(rules(entity, f"r{number}")) for number in range(count)]


@st.composite
def subjects(draw: st.DrawFn, entity: str) -> Subject:
    scope_words = (entity, *(f"{entity}:{action}" for action in ENTITIES[entity].actions), "audit")
    return Subject(
        id="ana",
        account=draw(accounts),
        teams=frozenset(draw(teams)),
        is_admin=draw(st.sampled_from((*[False] * 11, True))),
        scopes=draw(st.none() | st.none() | st.none() | some(scope_words, least=0).map(frozenset)),
    )


@st.composite
def resources(draw: st.DrawFn, entity: str) -> Resource:
    fields = [name for name in ENTITIES[entity].attributes if name != "LABEL"]
    return Resource(
        entity=entity,
        id="thing",
        account=draw(accounts),
        attributes={name: draw(some(WORDS, most=2, least=0)) for name in fields if draw(st.booleans())},
        labels={key: draw(st.sampled_from(WORDS)) for key in LABEL_KEYS if draw(st.booleans())},
        tags=draw(some((*TAGS, "untagged", "*"), least=0)),
        related_tags={"project": draw(some(TAGS, least=0))} if draw(st.booleans()) else {},
    )


@st.composite
def questions(draw: st.DrawFn) -> tuple[Subject, str, Resource, list[Rule]]:
    """Somebody asks whether they may do something to something, under some rules."""
    entity = draw(st.sampled_from(ENTITY_NAMES))
    action = draw(st.sampled_from(ENTITIES[entity].actions))
    return draw(subjects(entity)), action, draw(resources(entity)), draw(rule_lists(entity))


def rule_set(*given: Rule) -> RuleSet:
    return RuleSet(ACCOUNT, given)

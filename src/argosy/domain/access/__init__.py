"""Who may do what: one small rule engine that decides, explains, and yields the filter for lists.

The story, in the order to read it: `vocabulary` names what can be protected; `model` has the nouns; `rules` says what
one rule means, as a `predicate`; `engine` compiles an account's rules and decides; `explain` says why; `sql` turns the
same predicate into a WHERE clause. Default deny, rules only add, the account boundary holds for everyone.

Services load rules and cache a RuleSet per account; the runtime's App-Proxy does the same at the edge. Everything here
is pure, and property tests hold `decide`, `explain`, `filter` and PostgreSQL to the same answer.
"""

from argosy.domain.access.engine import Rejected, RuleSet, decide, filter  # noqa: A004 - access.filter
from argosy.domain.access.explain import Explanation, explain
from argosy.domain.access.model import (
    Candidate,
    Condition,
    Decision,
    Failure,
    Reason,
    Resource,
    Rule,
    Subject,
    TagLogic,
)
from argosy.domain.access.predicate import (
    AccountIs,
    All,
    And,
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
    matches,
)
from argosy.domain.access.rules import check_rule
from argosy.domain.access.simplify import simplify
from argosy.domain.access.sql import Column, ColumnMap, to_sql
from argosy.domain.access.vocabulary import ENTITIES, Entity, entity_named, scopes_allowing

__all__ = [
    "ENTITIES",
    "AccountIs",
    "All",
    "And",
    "Candidate",
    "Column",
    "ColumnMap",
    "Condition",
    "Decision",
    "Entity",
    "Explanation",
    "Failure",
    "Glob",
    "LabelGlob",
    "LabelIs",
    "Nothing",
    "OneOf",
    "Or",
    "Predicate",
    "Reason",
    "Rejected",
    "Resource",
    "Rule",
    "RuleSet",
    "Subject",
    "TagLogic",
    "TagsAll",
    "TagsAny",
    "Untagged",
    "check_rule",
    "decide",
    "entity_named",
    "explain",
    "filter",
    "matches",
    "scopes_allowing",
    "simplify",
    "to_sql",
]

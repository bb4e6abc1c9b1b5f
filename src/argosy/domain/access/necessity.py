"""One more condition that changes no answer but lets an index answer: what every alternative needs anyway.

When many rules each want one namespace (and more), any row that passes has one of those namespaces. Saying so beside
the alternatives lets PostgreSQL start from an index instead of testing hundreds of alternatives on each row. The same
thought is behind `pivots` in Python. Called by `engine.filter` on the simplified predicate.
"""

from __future__ import annotations

from argosy.domain.access.predicate import And, LabelIs, OneOf, Or, Predicate, TagsAny
from argosy.domain.access.simplify import disjunction

FEWEST_ALTERNATIVES = 8  # below this, testing them is cheaper than one more condition
Need = OneOf | LabelIs | TagsAny
Field = tuple[type, str]


def with_shared_need(predicate: Predicate) -> Predicate:
    """The predicate, preceded by the need its alternatives share, if they are many and share one."""
    if not isinstance(predicate, Or) or len(predicate.parts) < FEWEST_ALTERNATIVES:
        return predicate
    needs = [_needs(part) for part in predicate.parts]
    shared = set(needs[0]).intersection(*needs[1:])
    if not shared:
        return predicate
    united = [disjunction(need[field] for need in needs) for field in sorted(shared, key=str)]
    broadest = max(united, key=_breadth)
    # A need that does not tell the alternatives apart, such as one label of all, fits too many rows to start from.
    if _breadth(broadest) * 2 < len(predicate.parts):
        return predicate
    return And((broadest, predicate))


def _needs(part: Predicate) -> dict[Field, Need]:
    parts = part.parts if isinstance(part, And) else (part,)
    found: dict[Field, Need] = {}
    for each in parts:
        match each:
            case OneOf(name, _) | LabelIs(name, _) | TagsAny(_, name):
                found.setdefault((type(each), name), each)
            case _:
                pass
    return found


def _breadth(need: Predicate) -> int:
    """How many different values: the more, the fewer rows each is likely to have."""
    return len(need.values) if isinstance(need, OneOf | LabelIs | TagsAny) else 0

"""The words of an explanation: one paragraph that a person can act on.

Called by `explain` with what it found; nothing is decided here. Names come from the caller, and what has no name is
called by its id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from argosy.domain.access.model import Candidate, Decision, Failure, Resource, Subject

Names = Mapping[str, str]


def sentence_for(
    subject: Subject,
    action: str,
    resource: Resource,
    decision: Decision,
    candidates: Sequence[Candidate],
    names: Names,
) -> str:
    who = _named(subject.id, names)
    target = f"{resource.entity} {_named(resource.id, names)}".strip()
    verdict = f"{who} {'may' if decision.allowed else 'may not'} {action} {target}: "
    match decision.reason:
        case "admin":
            return verdict + f"{who} is an administrator of the account."
        case "other_account":
            return verdict + "there is no such resource in this account."
        case "scope":
            held = _listed(sorted(subject.scopes or ())) or "none"
            return (
                verdict + f"the API key needs the scope {resource.entity}:{action}; its scopes are: {held}."
            )
        case "rule":
            granting = next(candidate for candidate in candidates if candidate.rule == decision.rule)
            return verdict + f"the rule {granting.name!r} grants it."
        case "no_rule":
            return verdict + _why_not(candidates, resource, names)


def _why_not(candidates: Sequence[Candidate], resource: Resource, names: Names) -> str:
    if not candidates:
        return f"no rule speaks about {resource.entity}, and what no rule grants is denied."
    closest = candidates[0]
    reasons = "; ".join(_reason(failure, names) for failure in closest.failures)
    count = "the only rule" if len(candidates) == 1 else f"none of the {len(candidates)} rules"
    return f"{count} about {resource.entity} {_grants(candidates)} it. {_closest(candidates)} {closest.name!r}: {reasons}."


def _grants(candidates: Sequence[Candidate]) -> str:
    return "does not grant" if len(candidates) == 1 else "grants"


def _closest(candidates: Sequence[Candidate]) -> str:
    return "It is" if len(candidates) == 1 else "Closest is"


def _reason(failure: Failure, names: Names) -> str:
    wanted = _listed([_named(item, names) for item in failure.wanted])
    actual = _listed([_named(item, names) for item in failure.actual])
    match failure.what:
        case "enabled":
            return "it is switched off"
        case "valid":
            return f"it is ignored because {actual}"
        case "team":
            return f"it is for {wanted}, and the subject is in {actual or 'no team'}"
        case "action":
            return f"it grants only {actual}"
        case what:
            return f"it wants {what} to be {wanted}, and the resource has {actual or 'none'}"


def _named(item: str, names: Names) -> str:
    return names.get(item, item)


def _listed(items: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(items[:most])
    return f"{shown} and {len(items) - most} more" if len(items) > most else shown

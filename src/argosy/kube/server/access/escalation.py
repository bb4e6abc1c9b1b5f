"""Nobody gives away rights that they do not hold: the checks on writes of roles and bindings.

`Access.check_rbac_write` is called by the API before it stores a Role, ClusterRole, RoleBinding or ClusterRoleBinding.
The verbs `escalate` (on roles) and `bind` (on the bound role) lift the check; `system:masters` is never checked.
"""

from __future__ import annotations

from argosy.kube.errors import not_found
from argosy.kube.objects import Object, name_of
from argosy.kube.server.access.bindings import RoleReference
from argosy.kube.server.access.policy import MOST_RIGHTS, Rule, TooManyRights, compacted, rules_of, uncovered
from argosy.kube.server.access.quoting import quoted, quoted_list
from argosy.kube.server.access.rbac import Rbac, Unresolved, together
from argosy.kube.server.access.refusals import refused_object
from argosy.kube.server.access.vocabulary import MASTERS, RBAC, Attributes, User

_PLURALS = {
    "ClusterRole": "clusterroles",
    "Role": "roles",
    "ClusterRoleBinding": "clusterrolebindings",
    "RoleBinding": "rolebindings",
}
_EVERYTHING = (Rule(("*",), ("*",), ("*",)), Rule(("*",), urls=("*",)))
_COLLECTED = ("ownerReferences", "finalizers", "selfLink", "managedFields")


def check_rbac_write(rbac: Rbac, user: User, obj: Object, old: Object | None, namespace: str) -> None:
    """Raises ApiError 403; 404 when a binding's role is not there to be looked at."""
    plural = _PLURALS[str(obj["kind"])]
    if MASTERS in user.groups or (old is not None and _only_collected(obj, old)):
        return
    if plural in {"clusterroles", "roles"}:
        _check_role(rbac, user, plural, obj, old, namespace)
    else:
        _check_binding(rbac, user, plural, obj, namespace)


def _check_role(rbac: Rbac, user: User, plural: str, obj: Object, old: Object | None, namespace: str) -> None:
    name = name_of(old) if old is not None else ""
    escalate = Attributes("escalate", RBAC, "*", plural, namespace=namespace, name=name)
    if rbac.decide(user, escalate)[0]:
        return
    if why := _missing(rbac, user, plural, namespace, rules_of(obj)):
        raise refused_object(RBAC, plural, name_of(obj), why)
    aggregates = _aggregates(obj) or (old is not None and _aggregates(old))
    if plural == "clusterroles" and aggregates and _missing(rbac, user, plural, namespace, _EVERYTHING):
        why = "must have cluster-admin privileges to use the aggregationRule"
        raise refused_object(RBAC, plural, name_of(obj), why)


def _check_binding(rbac: Rbac, user: User, plural: str, obj: Object, namespace: str) -> None:
    reference = obj.get("roleRef")
    written: Object = reference if isinstance(reference, dict) else {}
    role = RoleReference(str(written.get("kind", "")), str(written.get("name", "")), namespace)
    if role.kind in {"ClusterRole", "Role"}:
        group = str(written.get("apiGroup", RBAC))
        bind = Attributes("bind", group, "*", _PLURALS[role.kind], namespace=namespace, name=role.name)
        if rbac.decide(user, bind)[0]:
            return
    rules = rbac.rules_of(role)
    if isinstance(rules, Unresolved):
        if rules.kind in _PLURALS:
            raise not_found(plural, role.name, group=RBAC)  # sic: it is called what is being written
        raise refused_object(RBAC, plural, name_of(obj), rules.described())
    if why := _missing(rbac, user, plural, namespace, rules):
        raise refused_object(RBAC, plural, name_of(obj), why)


def _missing(rbac: Rbac, user: User, plural: str, namespace: str, wanted: tuple[Rule, ...]) -> str:
    """What the user does not hold there, as a sentence; empty when nothing is missing."""
    held, errors = rbac.rules_for(user, namespace)
    who = f"user {quoted(user.name)} (groups={quoted_list(user.groups)})"
    try:
        missing = uncovered(held, wanted)
    except TooManyRights:
        return f"{who} is attempting to grant more than {MOST_RIGHTS} single RBAC permissions at once"
    if not missing:
        return ""
    listed = "\n".join(sorted({rule.described() for rule in compacted(missing)}))
    unresolved = (
        f"; resolution errors: [{together(why.described(plural) for why in errors)}]" if errors else ""
    )
    return f"{who} is attempting to grant RBAC permissions not currently held:\n{listed}{unresolved}"


def _aggregates(role: Object) -> bool:
    rule = role.get("aggregationRule")
    return isinstance(rule, dict) and bool(rule.get("clusterRoleSelectors"))


def _only_collected(obj: Object, old: Object) -> bool:
    """Whether nothing changed but what the garbage collector changes on its way to deleting an object."""
    return _without_collected(obj) == _without_collected(old)


def _without_collected(obj: Object) -> Object:
    meta = {key: value for key, value in (obj.get("metadata") or {}).items() if key not in _COLLECTED}
    return {**obj, "metadata": meta}

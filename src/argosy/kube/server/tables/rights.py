"""Who may do what, and what judges requests on their way."""

from __future__ import annotations

from collections.abc import Callable

from argosy.kube.objects import Object
from argosy.kube.server.tables.ages import human
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
    Cells,
    Printer,
    age,
    name,
    part,
    spec,
    text,
    whole,
    wide,
)
from argosy.kube.server.tables.wording import NONE, UNSET, conditions

_BINDING = (NAME, text("Role"), AGE, wide("Users"), wide("Groups"), wide("ServiceAccounts"))


def _binding(obj: Object) -> Cells:
    role = part(obj, "roleRef")
    found: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in obj.get("subjects") or ():
        kind, called = subject.get("kind", ""), str(subject.get("name", ""))
        if kind == "ServiceAccount":
            called = f"{subject.get('namespace', '')}/{called}"
        if kind in found:
            found[kind].append(called)
    told = f"{role.get('kind', '')}/{role.get('name', '')}"
    return [name(obj), told, age(obj), *(", ".join(names) for names in found.values())]


def _signing_request(obj: Object) -> Cells:
    seconds = spec(obj).get("expirationSeconds")
    return [
        name(obj),
        age(obj),
        spec(obj).get("signerName") or NONE,
        spec(obj).get("username", ""),
        NONE if seconds is None else human(seconds),
        _signing_status(obj),
    ]


def _signing_status(obj: Object) -> str:
    kinds = {one.get("type") for one in conditions(obj)}
    told = "Denied" if "Denied" in kinds else "Approved" if "Approved" in kinds else "Pending"
    failed = ",Failed" if "Failed" in kinds else ""
    issued = ",Issued" if (obj.get("status") or {}).get("certificate") else ""
    return told + failed + issued


def _webhooks(obj: Object) -> Cells:
    return [name(obj), len(obj.get("webhooks") or ()), age(obj)]


def _policy(field: str) -> Callable[[Object], Cells]:
    def cells(obj: Object) -> Cells:
        kind = spec(obj).get("paramKind")
        told = UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"
        return [name(obj), len(spec(obj).get(field) or ()), told, age(obj)]

    return cells


def _policy_binding(obj: Object) -> Cells:
    given, told = spec(obj).get("paramRef"), UNSET
    if given is not None:
        if given.get("name"):
            told = f"{given.get('namespace') or '*'}/{given['name']}"
        elif given.get("selector") is not None:
            told = _go_selector(given["selector"])
    return [name(obj), spec(obj).get("policyName", ""), told, age(obj)]


def _go_selector(selector: Object) -> str:
    """As Go prints the structure itself, which is what upstream shows here."""
    labels = "".join(f"{key}: {value}," for key, value in sorted((selector.get("matchLabels") or {}).items()))
    terms = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key', '')},Operator:{one.get('operator', '')},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in selector.get("matchExpressions") or ()
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{terms}}},}}"
    )


_HOOKS = (NAME, whole("Webhooks"), AGE)
_POLICY_BINDING = (NAME, text("PolicyName"), text("ParamRef"), AGE)
PRINTERS = {
    "rolebindings.rbac.authorization.k8s.io": Printer(_BINDING, _binding),
    "clusterrolebindings.rbac.authorization.k8s.io": Printer(_BINDING, _binding),
    "certificatesigningrequests.certificates.k8s.io": Printer(
        (NAME, AGE, *map(text, ("SignerName", "Requestor", "RequestedDuration", "Condition"))),
        _signing_request,
    ),
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": Printer(_HOOKS, _webhooks),
    "validatingwebhookconfigurations.admissionregistration.k8s.io": Printer(_HOOKS, _webhooks),
    "validatingadmissionpolicies.admissionregistration.k8s.io": Printer(
        (NAME, whole("Validations"), text("ParamKind"), AGE), _policy("validations")
    ),
    "mutatingadmissionpolicies.admissionregistration.k8s.io": Printer(
        (NAME, whole("Mutations"), text("ParamKind"), AGE), _policy("mutations")
    ),
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": Printer(
        _POLICY_BINDING, _policy_binding
    ),
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": Printer(_POLICY_BINDING, _policy_binding),
}

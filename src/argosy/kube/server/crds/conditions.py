"""The conditions of a CRD and the names that it may use, decided from it and from what others in its group use already."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from argosy.kit import clock
from argosy.kube.objects import Object, annotations_of, name_of
from argosy.kube.server.crds.definition import condition, spec_of, status_of

APPROVAL = "api-approved.kubernetes.io"
_PULL = "see https://github.com/kubernetes/enhancements/pull/1111"


class Condition(NamedTuple):
    type: str
    status: str
    reason: str
    message: str


ESTABLISHED = Condition("Established", "True", "InitialNamesAccepted", "the initial names have been accepted")
DELETION_PENDING = Condition(
    "Terminating",
    "True",
    "InstanceDeletionPending",
    "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
)
DELETION_STARTED = Condition(
    "Terminating", "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress"
)
_INSTALLING = Condition("Established", "False", "Installing", "the initial names have been accepted")
_NOT_ACCEPTED = Condition("Established", "False", "NotAccepted", "not all names are accepted")


def put(crd: Object, new: Condition) -> None:
    """In place. The moment of the last transition stays as long as the status does."""
    found = condition(crd, new.type)
    now = clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
    if found is None:
        status = crd.setdefault("status", {})
        status["conditions"] = [*(status.get("conditions") or ()), _written(new, now)]
        return
    if found.get("status") == new.status and found.get("lastTransitionTime"):
        now = found["lastTransitionTime"]
    found.clear()
    found.update(_written(new, now))


def _written(new: Condition, moment: str) -> Object:
    return {
        "type": new.type,
        "status": new.status,
        "lastTransitionTime": moment,
        "reason": new.reason,
        "message": new.message,
    }


class Naming(NamedTuple):
    accepted: Object
    names: Condition
    established: Condition | None
    """None: as it is."""


def naming(crd: Object, others: Iterable[Object]) -> Naming | None:
    """What becomes of a CRD's names, or None when they are as it wants them. `others`: the rest of its group."""
    wanted = spec_of(crd).get("names") or {}
    now = status_of(crd).get("acceptedNames") or {}
    if _same_names(wanted, now):
        return None
    resources, kinds = _taken(others)
    accepted, wrong = {**now}, None
    for field, reason, used in (
        ("plural", "PluralConflict", resources),
        ("singular", "SingularConflict", resources),
        ("shortNames", "ShortNamesConflict", resources),
        ("kind", "KindConflict", kinds),
        ("listKind", "ListKindConflict", kinds),
    ):
        clashes = _clashes(wanted.get(field), now.get(field), used)
        if clashes:
            wrong = Condition("NamesAccepted", "False", reason, _listed(clashes))
        else:
            _copy(accepted, wanted, field)
    _copy(accepted, wanted, "categories")
    names = wrong or Condition("NamesAccepted", "True", "NoConflicts", "no conflicts found")
    return Naming(accepted, names, _established(crd, names))


def _established(crd: Object, names: Condition) -> Condition | None:
    found = condition(crd, "Established")
    if found is not None and found.get("status") == "True":
        return None
    if names.status == "True":
        return _INSTALLING
    return _NOT_ACCEPTED if found is None else None


def _same_names(wanted: Object, accepted: Object) -> bool:
    def shown(names: Object) -> Object:
        return {key: value for key, value in names.items() if value}

    return shown(wanted) == shown(accepted)


def _taken(others: Iterable[Object]) -> tuple[set[str], set[str]]:
    resources: set[str] = set()
    kinds: set[str] = set()
    for one in others:
        names = status_of(one).get("acceptedNames") or {}
        resources |= {names.get("plural", ""), names.get("singular", ""), *(names.get("shortNames") or ())}
        kinds |= {names.get("kind", ""), names.get("listKind", "")}
    return resources, kinds


def _clashes(wanted: str | list[str] | None, accepted: str | list[str] | None, used: set[str]) -> list[str]:
    asked = wanted if isinstance(wanted, list) else [wanted or ""]
    own = accepted if isinstance(accepted, list) else [accepted or ""]
    return [one for one in asked if one not in own and one in used and one]


def _listed(clashes: list[str]) -> str:
    told = list(dict.fromkeys(f'"{one}" is already in use' for one in clashes))
    return told[0] if len(told) == 1 else f"[{', '.join(told)}]"


def _copy(made: Object, names: Object, field: str) -> None:
    if names.get(field):
        made[field] = names[field]
    else:
        made.pop(field, None)


def approval(crd: Object) -> Condition | None:
    """Of a group that belongs to Kubernetes: whether somebody there agreed to the API."""
    kind = "KubernetesAPIApprovalPolicyConformant"
    if not is_protected(spec_of(crd).get("group", "")):
        return None
    state, reason = approval_state(crd)
    words = {
        "invalid": ("False", "InvalidAnnotation"),
        "missing": ("False", "MissingAnnotation"),
        "approved": ("True", "ApprovedAnnotation"),
        "bypassed": ("False", "UnapprovedAnnotation"),
    }
    status, told = words[state]
    return Condition(kind, status, told, reason)


def is_protected(group: str) -> bool:
    return group in {"k8s.io", "kubernetes.io"} or group.endswith((".k8s.io", ".kubernetes.io"))


def approval_state(crd: Object) -> tuple[str, str]:
    said = annotations_of(crd).get(APPROVAL, "")
    if not said:
        return "missing", f'protected groups must have approval annotation "{APPROVAL}", {_PULL}'
    if said.startswith("unapproved"):
        return "bypassed", f'not approved: "{said}"'
    try:
        parts = urlsplit(said)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme and parts.netloc:
        return "approved", f"approved in {said}"
    return "invalid", (
        f'protected groups must have approval annotation "{APPROVAL}" with either a URL or a reason starting with '
        f'"unapproved", {_PULL}'
    )


def others_of(crd: Object, definitions: Iterable[Object]) -> list[Object]:
    group, name = spec_of(crd).get("group"), name_of(crd)
    return [one for one in definitions if name_of(one) != name and spec_of(one).get("group") == group]

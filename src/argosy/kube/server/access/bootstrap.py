"""The roles and bindings that every new cluster starts with, out of the table in `default_roles.txt`.

The cluster stores them when it is made. `admin`, `edit` and `view` come without rules: they gather them (`aggregation`).
"""

from __future__ import annotations

from importlib.resources import files

from argosy.kube.objects import Object
from argosy.kube.server.access.vocabulary import RBAC

_READ = ("get", "list", "watch")
_CHANGE = ("create", "delete", "deletecollection", "patch", "update")
_GATHER = f"{RBAC}/aggregate-to-"
_CONTROLLER = "system:controller:"
_SUBJECTS = {"user": "User", "group": "Group"}


def bootstrap() -> list[Object]:
    """Roles first, so that no binding is ever without its own."""
    text = (files("argosy.kube.server.access") / "default_roles.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    roles: list[Object] = []
    bindings: list[Object] = []
    for line in lines:
        match line.split():
            case ["role", namespace, name, *options]:
                roles.append(_role(namespace, name, dict(option.split("=") for option in options)))
            case ["bind", namespace, name, role, *subjects]:
                bindings.append(_binding(namespace, name, role, subjects))
            case _:
                roles[-1]["rules"].append(_rule(line))
    return [*roles, *bindings, *_controllers(roles)]


def _controllers(roles: list[Object]) -> list[Object]:
    """Each controller's role belongs to the account of its name."""
    names = [role["metadata"]["name"] for role in roles if role["kind"] == "ClusterRole"]
    return [
        _binding("*", name, f"ClusterRole/{name}", [f"account/kube-system/{name.removeprefix(_CONTROLLER)}"])
        for name in names
        if name.startswith(_CONTROLLER)
    ]


def _role(namespace: str, name: str, options: dict[str, str]) -> Object:
    role = _object("Role", namespace, name)
    if "part-of" in options:
        role["metadata"]["labels"][_GATHER + options["part-of"]] = "true"
    if "gathers" in options:
        selector = {"matchLabels": {_GATHER + options["gathers"]: "true"}}
        return {**role, "aggregationRule": {"clusterRoleSelectors": [selector]}, "rules": None}
    return {**role, "rules": []}


def _binding(namespace: str, name: str, role: str, subjects: list[str]) -> Object:
    kind, _, role_name = role.partition("/")
    binding = _object("RoleBinding", namespace, name)
    binding["roleRef"] = {"apiGroup": RBAC, "kind": kind, "name": role_name}
    if subjects:
        binding["subjects"] = [_subject(subject) for subject in subjects]
    return binding


def _object(kind: str, namespace: str, name: str) -> Object:
    everywhere = namespace == "*"
    metadata: Object = {
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
        "name": name,
    }
    if not everywhere:
        metadata["namespace"] = namespace
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"Cluster{kind}" if everywhere else kind,
        "metadata": metadata,
    }


def _subject(text: str) -> Object:
    kind, _, name = text.partition("/")
    if kind == "account":
        namespace, _, name = name.partition("/")
        return {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    return {"apiGroup": RBAC, "kind": _SUBJECTS[kind], "name": name}


def _rule(line: str) -> Object:
    verbs, *rest = (column.split() for column in line.strip().split(" : "))
    allowed = sorted({verb for word in verbs for verb in _verbs(word)})
    match rest:
        case [urls]:
            return {"nonResourceURLs": urls, "verbs": allowed}
        case [groups, resources]:
            return {"apiGroups": [*map(_group, groups)], "resources": resources, "verbs": allowed}
        case [groups, resources, names]:
            return {
                "apiGroups": [*map(_group, groups)],
                "resourceNames": names,
                "resources": resources,
                "verbs": allowed,
            }
    raise ValueError(line)


def _verbs(word: str) -> tuple[str, ...]:
    return {"read": _READ, "change": _CHANGE}.get(word, (word,))


def _group(word: str) -> str:
    return "" if word == "core" else word

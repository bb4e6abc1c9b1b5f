"""What a path means: a resource, one object, a subresource, or something that is no resource at all."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.wire import Request

_VERBS = {
    "GET": "get",
    "HEAD": "get",
    "POST": "create",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}


@dataclass(frozen=True, slots=True)
class Address:
    """`plural` is empty for what is no resource (`/version`, `/apis`). `rest` is what follows `proxy`."""

    verb: str
    path: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""


def address(request: Request) -> Address | None:
    """None: under `/api` or `/apis`, but nothing that could be there."""
    path, verb = request.path, _VERBS.get(request.method, request.method.lower())
    parts = path.split("/")[1:]
    if parts and parts[-1] == "" and len(parts) > 1:
        parts = parts[:-1]
    match parts:
        case ["api", version, *rest] if rest:
            group = ""
        case ["apis", group, version, *rest] if rest:
            pass
        case _:
            return Address(verb, path)
    if "" in rest and "proxy" not in rest:
        return None
    watching = rest[0] == "watch" and len(rest) > 1
    if watching:
        rest = rest[1:]
    found = _resource(verb, path, group, version, rest)
    return None if found is None else _with_verb(found, request, watching=watching)


def _resource(verb: str, path: str, group: str, version: str, rest: list[str]) -> Address | None:
    namespace = ""
    match rest:
        case ["namespaces", name, "status" | "finalize"]:
            return Address(verb, path, group, version, name, "namespaces", name, rest[2])
        case ["namespaces", name]:
            return Address(verb, path, group, version, name, "namespaces", name)
        case ["namespaces", namespace, *rest] if rest:
            pass
    match rest:
        case [plural]:
            return Address(verb, path, group, version, namespace, plural)
        case [plural, name]:
            return Address(verb, path, group, version, namespace, plural, name)
        case [plural, name, "proxy", *more]:
            after = "/" + "/".join(more)
            return Address(verb, path, group, version, namespace, plural, name, "proxy", after)
        case [plural, name, sub]:
            return Address(verb, path, group, version, namespace, plural, name, sub)
        case _:
            return None


def _with_verb(found: Address, request: Request, *, watching: bool) -> Address:
    verb = found.verb
    if request.method in {"GET", "HEAD"} and not found.subresource:
        if watching or (not found.name and _asks_to_watch(request)):
            verb = "watch"
        elif not found.name:
            verb = "list"
    elif request.method == "DELETE" and not found.name:
        verb = "deletecollection"
    if verb == found.verb:
        return found
    return Address(
        verb,
        found.path,
        found.group,
        found.version,
        found.namespace,
        found.plural,
        found.name,
        found.subresource,
    )


def _asks_to_watch(request: Request) -> bool:
    """Anything but a no is a yes."""
    said = next((value for name, value in request.query if name == "watch"), "0")
    return said.lower() not in {"0", "false"}

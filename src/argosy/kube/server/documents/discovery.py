"""Which groups, versions and resources there are, in the old form of many small documents and in the aggregated one.

`kubectl` and every dynamic client start here. Documents are made once per state of the registry.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator

import msgspec

from argosy.kube.errors import not_acceptable
from argosy.kube.objects import Object
from argosy.kube.server.api.plain import json_answer
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.documents.memo import PerRegistry
from argosy.kube.server.registry import Registry, Served
from argosy.kube.types import Kind, Resource, Subresource
from argosy.kube.wire import Request, Response

_ADMISSION = "admissionregistration.k8s.io"
_STORED = {
    f"mutatingadmissionpolicies.{_ADMISSION}": Kind(_ADMISSION, "v1beta1", "MutatingAdmissionPolicy"),
    f"mutatingadmissionpolicybindings.{_ADMISSION}": Kind(
        _ADMISSION, "v1beta1", "MutatingAdmissionPolicyBinding"
    ),
    "customresourcedefinitions.apiextensions.k8s.io": Kind(
        "apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition"
    ),
    "events.events.k8s.io": Kind("", "v1", "Event"),
}
"""What upstream stores in another version than it serves."""
_AGGREGATED_FORM = ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2")
_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


def answer(cluster: Cluster, request: Request, path: str) -> Response | None:
    registry = cluster.registry
    match path.split("/")[1:]:
        case [("api" | "apis") as root]:
            if _wants_aggregated(request):
                return _aggregated_answer(registry, request, core=root == "api")
            if root == "apis":
                return json_answer(_group_list(registry))
            return json_answer({**_CORE, "serverAddressByClientCIDRs": [_address(request)]})
        case ["api", "v1"]:
            return json_answer(_resource_list(registry, "", "v1"))
        case ["apis", group]:
            found = [one for one in _groups(registry) if one["name"] == group]
            return json_answer({"kind": "APIGroup", "apiVersion": "v1", **found[0]}) if found else None
        case ["apis", group, version]:
            listed = _resource_list(registry, group, version)
            return json_answer(listed) if listed["resources"] else None
        case _:
            return None


def group_paths(registry: Registry) -> Iterator[str]:
    yield from ("/api", "/api/v1", "/apis", "/apis/")
    for group in _groups(registry):
        yield f"/apis/{group['name']}"
        yield from (f"/apis/{one['groupVersion']}" for one in group["versions"])


_CORE: Object = {"kind": "APIVersions", "versions": ["v1"]}


def _address(request: Request) -> Object:
    return {"clientCIDR": "0.0.0.0/0", "serverAddress": request.headers.get("host", "")}


def _group_list(registry: Registry) -> Object:
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": _groups(registry)}


def _groups(registry: Registry) -> list[Object]:
    return [
        {
            "name": group,
            "versions": [_version(group, one) for one in versions],
            "preferredVersion": _version(group, versions[0]),
        }
        for group, versions in _versions(registry).items()
        if group
    ]


def _version(group: str, version: str) -> Object:
    return {"groupVersion": f"{group}/{version}", "version": version}


def _versions(registry: Registry) -> dict[str, list[str]]:
    """The preferred one first: `v2` before `v1`, both before `v1beta1`, and that before `v1alpha1`."""
    found: dict[str, set[str]] = {}
    for one in registry:
        found.setdefault(one.resource.kind.group, set()).add(one.resource.kind.version)
    return {group: sorted(versions, key=priority) for group, versions in found.items()}


def priority(version: str) -> tuple[int, int, int, str]:
    head, _, rest = version.removeprefix("v").partition("alpha")
    stage = 2 if rest else 0
    if not stage:
        head, _, rest = head.partition("beta")
        stage = 1 if rest else 0
    if not version.startswith("v") or not head.isdecimal() or (rest and not rest.isdecimal()):
        return 3, 0, 0, version
    return stage, -int(head), -int(rest or 0), version


def _resource_list(registry: Registry, group: str, version: str) -> Object:
    resources: list[Object] = []
    for one in _of(registry, group, version):
        resources += _listed(one)
    resources.sort(key=lambda entry: str(entry["name"]).partition("/")[0])
    api_version = {"apiVersion": "v1"} if group else {}
    return {
        "kind": "APIResourceList",
        **api_version,
        "groupVersion": f"{group}/{version}" if group else version,
        "resources": resources,
    }


def _listed(one: Served) -> Iterator[Object]:
    resource = one.resource
    if resource.verbs:
        entry: Object = {
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind.kind,
            "verbs": list(resource.verbs),
        }
        if resource.short_names:
            entry["shortNames"] = list(resource.short_names)
        if resource.categories:
            entry["categories"] = list(resource.categories)
        if "list" in resource.verbs and (found := _storage_hash(resource)) is not None:
            entry["storageVersionHash"] = found
        yield entry
    for sub in _subresources(one):
        entry = {
            "name": f"{resource.plural}/{sub.name}",
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": sub.kind.kind,
            "verbs": list(sub.verbs),
        }
        if (sub.kind.group, sub.kind.version) != (resource.kind.group, resource.kind.version):
            entry |= {"group": sub.kind.group, "version": sub.kind.version}
        yield entry


def _subresources(one: Served) -> list[Subresource]:
    """By name, and those of a custom kind the other way round."""
    return sorted(one.resource.subresources.values(), key=lambda sub: sub.name, reverse=one.custom)


def _of(registry: Registry, group: str, version: str) -> Iterable[Served]:
    return (
        one for one in registry if one.resource.kind.group == group and one.resource.kind.version == version
    )


def _wants_aggregated(request: Request) -> bool:
    """The first form that there is of those that are acceptable."""
    for clause in (request.headers.get("accept", "") or "*/*").split(","):
        media, *parameters = (part.strip() for part in clause.split(";"))
        found = dict(part.split("=", 1) for part in parameters if "=" in part)
        if media not in {"application/json", "application/yaml", "application/*", "*/*"}:
            continue
        if "as" not in found:
            return False
        if (found["as"], found.get("g"), found.get("v")) == _AGGREGATED_FORM:
            return True
    raise not_acceptable(("application/json", "application/yaml", "application/vnd.kubernetes.protobuf"))


def _aggregated_answer(registry: Registry, request: Request, *, core: bool) -> Response:
    body, tag = (_AGGREGATED_CORE if core else _AGGREGATED_GROUPS).of(registry)
    headers = {"content-type": _AGGREGATED, "etag": tag, "vary": "Accept", "cache-control": "public"}
    if request.headers.get("if-none-match") == tag:
        return Response(304, headers)
    return Response(200, headers, body)


def _aggregated(registry: Registry, *, core: bool) -> tuple[bytes, str]:
    items: list[Object] = [
        {
            "metadata": {"name": group} if group else {},
            "versions": [_described_version(registry, group, version) for version in versions],
        }
        for group, versions in _versions(registry).items()
        if bool(group) is not core
    ]
    document = {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }
    body = msgspec.json.encode(document)
    return body, f'"{hashlib.sha256(body).hexdigest().upper()}"'


def _described_version(registry: Registry, group: str, version: str) -> Object:
    resources = [_described(one) for one in _of(registry, group, version)]
    resources.sort(key=lambda one: str(one["resource"]))
    return {"version": version, "resources": resources, "freshness": "Current"}


_AGGREGATED_CORE = PerRegistry(lambda registry: _aggregated(registry, core=True))
_AGGREGATED_GROUPS = PerRegistry(lambda registry: _aggregated(registry, core=False))


def _described(one: Served) -> Object:
    resource = one.resource
    entry: Object = {
        "resource": resource.plural,
        "responseKind": _kind(resource.kind, resource.kind, custom=one.custom),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        entry["shortNames"] = list(resource.short_names)
    if resource.categories:
        entry["categories"] = list(resource.categories)
    if resource.subresources:
        entry["subresources"] = [
            {
                "subresource": sub.name,
                "responseKind": _kind(sub.kind, resource.kind, custom=one.custom),
                "verbs": list(sub.verbs),
            }
            for sub in _subresources(one)
        ]
    return entry


def _kind(kind: Kind, holder: Kind, *, custom: bool) -> Object:
    """Group and version are those of the address when they are left empty, as they are for built-in kinds."""
    if (kind.group, kind.version) == (holder.group, holder.version) and not custom:
        return {"group": "", "version": "", "kind": kind.kind}
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _storage_hash(resource: Resource) -> str | None:
    """None: nothing of it is stored. Clients compare them, to see that two versions are one thing."""
    if resource.group_resource == "componentstatuses":
        return None
    kind = _STORED.get(resource.group_resource, resource.kind)
    packed = hashlib.sha256("/".join(kind).encode()).digest()[:8]
    return base64.b64encode(packed).decode()

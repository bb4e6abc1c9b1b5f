"""Writes `src/argosy/kube/types/v1_36.jsonl`: what the embedded Kubernetes knows of the built-in types and resources.

`python -m tools.kube_types` needs Go, to fetch the published schemas as modules: OpenAPI (fields, defaults, list and
merge keys), the struct tags (protobuf numbers) and the discovery document (verbs, short names). No descriptions are
taken over. One line is one type or one resource, so that a new version shows as a readable difference.
`argosy.kube.types.table` reads the file and explains its columns.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools.steps import ROOT, Stop, run, step

KUBERNETES, LIBRARIES = "v1.36.3", "v0.36.3"
OUTPUT = ROOT / "src" / "argosy" / "kube" / "types" / "v1_36.jsonl"
MODULES = ("api", "apimachinery", "apiextensions-apiserver", "kube-aggregator")
GROUPS = (
    "",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "apiregistration.k8s.io",
    "apps",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "coordination.k8s.io",
    "discovery.k8s.io",
    "events.k8s.io",
    "networking.k8s.io",
    "node.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "scheduling.k8s.io",
    "storage.k8s.io",
)
# autoscaling/v1 stays for its Scale, which every scale subresource speaks; its autoscalers are served as v2.
VERSIONS = {"autoscaling": ("v1", "v2")}
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\t(?:(\w+)\s+)?(\S+)\s+`([^`]*)`", re.MULTILINE)
_WRAPPER = re.compile(r"^type (\w+) \[\](\w+)$", re.MULTILINE)
_SCALARS = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}
_FORMATS = {"int32": "int32", "int64": "int64", "byte": "bytes", "double": "float64"}
_SPECIAL = {
    "meta.v1.Time": "Time",
    "meta.v1.MicroTime": "MicroTime",
    "meta.v1.FieldsV1": "FieldsV1",
    "Quantity": "Quantity",
    "IntOrString": "IntOrString",
    "RawExtension": "RawExtension",
    "apiextensions.v1.JSON": "JSON",
    "apiextensions.v1.JSONSchemaPropsOrArray": "JSONSchemaPropsOrArray",
    "apiextensions.v1.JSONSchemaPropsOrBool": "JSONSchemaPropsOrBool",
    "apiextensions.v1.JSONSchemaPropsOrStringArray": "JSONSchemaPropsOrStringArray",
}

_STRUCTS = {"Time", "MicroTime", "Quantity", "IntOrString", "RawExtension"}
_BUILT_IN = {"Quantity", "IntOrString", "RawExtension"}


@dataclass
class GoStruct:
    """What the struct tags say of each JSON field, and the structs that are flattened into it.

    `presence` is what Go writes of a field that nobody set: nothing (`""`), nothing if it is empty (`e`), null (`n`), or its zero
    value (`a`)."""

    numbers: dict[str, int] = field(default_factory=dict)
    presence: dict[str, str] = field(default_factory=dict)
    inlined: list[tuple[str, int]] = field(default_factory=list)


def main() -> int:
    with step(f"published schemas of Kubernetes {KUBERNETES}"):
        kubernetes = module(f"k8s.io/kubernetes@{KUBERNETES}")
        sources = [module(f"k8s.io/{name}@{LIBRARIES}") for name in MODULES]
    with step(f"writing {OUTPUT.relative_to(ROOT)}"):
        structs = dict(go_structs(sources))
        schemas = openapi_schemas(kubernetes / "api" / "openapi-spec" / "v3")
        resources = list(discovered(kubernetes / "api" / "discovery" / "aggregated_v2.json", schemas))
        needed = closure(schemas, {kind for one in resources for kind in one["kinds"]})
        lines = [{"version": KUBERNETES}]
        lines += [{"type": name, **described(name, schemas[name], structs)} for name in sorted(needed)]
        lines += [{"resource": one.pop("name"), **one} for one in resources]
        OUTPUT.parent.mkdir(parents=True, exist_ok=True)
        OUTPUT.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    return 0


def module(name: str) -> Path:
    told = run(
        ["go", "mod", "download", "-json", name],
        cure="Go is needed to fetch the schemas: apt-get install golang",
    )
    return Path(json.loads(told[told.index("{") :])["Dir"])


def short(name: str) -> str:
    """`io.k8s.api.apps.v1.Deployment` → `apps.v1.Deployment`."""
    for start in (
        "io.k8s.apimachinery.pkg.api.resource.",
        "io.k8s.apimachinery.pkg.util.intstr.",
        "io.k8s.apimachinery.pkg.runtime.",
        "io.k8s.apimachinery.pkg.apis.",
        "io.k8s.apimachinery.pkg.",
        "io.k8s.apiextensions-apiserver.pkg.apis.",
        "io.k8s.kube-aggregator.pkg.apis.",
        "io.k8s.api.",
    ):
        if name.startswith(start):
            return name.removeprefix(start)
    raise Stop(f"an unknown package in the schemas: {name}")


def openapi_schemas(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        for name, schema in json.loads(path.read_text()).get("components", {}).get("schemas", {}).items():
            found.setdefault(short(name), schema)
    return found


def go_structs(sources: list[Path]) -> Iterator[tuple[str, GoStruct]]:
    """Every struct with tags, and every named list, which protobuf wraps into a message with `items`."""
    for source in sources:
        for path in [
            *source.glob("**/v1/types*.go"),
            *source.glob("**/v2/types*.go"),
            *source.glob("**/meta/v1/*.go"),
        ]:
            package = f"{path.parent.parent.name}.{path.parent.name}"
            text = path.read_text()
            for name, body in _STRUCT.findall(text):
                found = GoStruct()
                for _, go_type, tags in _FIELD.findall(body):
                    _read_field(found, package, go_type, tags)
                yield f"{package}.{name}", found
            for name, _ in _WRAPPER.findall(text):
                yield f"{package}.{name}", GoStruct(numbers={"[]": 1})


def _read_field(found: GoStruct, package: str, go_type: str, tags: str) -> None:
    number = re.search(r'protobuf:"\w+,(\d+)', tags)
    written = re.search(r'json:"([^",]*)([^"]*)', tags)
    if not written:
        return
    name, options = written[1], written[2].split(",")
    if not name and "inline" in options:
        inner = go_type.lstrip("*")
        found.inlined.append(
            (inner if "." in inner else f"{package}.{inner}", int(number[1]) if number else 0)
        )
        return
    if number:
        found.numbers[name] = int(number[1])
    if go_type.startswith("*") or "omitzero" in options:
        found.presence[name] = "" if {"omitempty", "omitzero"} & set(options) else "n"
    else:
        found.presence[name] = "e" if "omitempty" in options else "a"


def described(name: str, schema: dict[str, Any], structs: dict[str, GoStruct]) -> dict[str, Any]:
    required = set(schema.get("required", ()))
    numbers, presence = paths(name, structs), presences(name, structs)
    line: dict[str, Any] = {
        "fields": [
            column(key, value, required=key in required, go=(numbers.get(key, ""), presence.get(key, "e")))
            for key, value in schema.get("properties", {}).items()
        ]
    }
    if schema.get("x-kubernetes-map-type"):
        line["map"] = schema["x-kubernetes-map-type"]
    if schema.get("x-kubernetes-unions"):
        line["unions"] = schema["x-kubernetes-unions"]
    return line


def paths(name: str, structs: dict[str, GoStruct]) -> dict[str, str]:
    """`{"hostPath": "2.1"}`: field 1 of the message that field 2 holds, because Go flattens it in JSON only."""
    found = structs.get(name)
    if found is None:
        return {}
    numbers = {key: str(number) for key, number in found.numbers.items()}
    for inner, outer in found.inlined:
        if outer:
            numbers |= {key: f"{outer}.{number}" for key, number in paths(inner, structs).items()}
    return numbers


def presences(name: str, structs: dict[str, GoStruct]) -> dict[str, str]:
    found = structs.get(name, GoStruct())
    return {
        **{key: said for inner, _ in found.inlined for key, said in presences(inner, structs).items()},
        **found.presence,
    }


def column(key: str, schema: dict[str, Any], *, required: bool, go: tuple[str, str]) -> list[Any]:
    extra: dict[str, Any] = {}
    for source, target in (
        ("x-kubernetes-patch-strategy", "strategy"),
        ("x-kubernetes-patch-merge-key", "merge"),
        ("x-kubernetes-list-type", "list"),
        ("x-kubernetes-list-map-keys", "keys"),
        ("x-kubernetes-map-type", "map"),
    ):
        if source in schema:
            extra[target] = schema[source]
    if schema.get("default") not in (None, {}, [], "", 0, False):
        extra["default"] = schema["default"]
    if required:
        extra["required"] = True
    kind = type_of(schema)
    number, presence = go
    if presence == "e" and (("." in kind and kind[0] not in "[{") or kind in _STRUCTS):
        presence = "a"  # Go never takes a struct for empty
    return [key, kind, number, presence, *([extra] if extra else [])]


def type_of(schema: dict[str, Any]) -> str:
    if "allOf" in schema:
        return type_of(schema["allOf"][0])
    if "$ref" in schema:
        name = short(schema["$ref"].rsplit("/", 1)[1])
        return _SPECIAL.get(name, name)
    match schema.get("type"):
        case "array":
            return "[]" + type_of(schema["items"])
        case "object":
            return (
                "{}" + type_of(schema["additionalProperties"]) if "additionalProperties" in schema else "JSON"
            )
        case str() as kind:
            if schema.get("format") == "date-time":
                return "Time"
            return _FORMATS.get(schema.get("format", ""), _SCALARS[kind])
        case _:
            return "JSON"


def closure(schemas: dict[str, Any], start: set[str]) -> set[str]:
    seen: set[str] = set()
    queue = [
        *start,
        "meta.v1.Status",
        "meta.v1.DeleteOptions",
        "meta.v1.WatchEvent",
        "meta.v1.APIResourceList",
        "meta.v1.APIGroup",
        "meta.v1.APIGroupList",
        "meta.v1.APIVersions",
    ]
    while queue:
        name = queue.pop()
        if name in seen or name not in schemas or _SPECIAL.get(name, name) not in {name} - _BUILT_IN:
            continue
        seen.add(name)
        for value in schemas[name].get("properties", {}).values():
            queue.append(type_of(value).replace("[]", "").replace("{}", ""))
            queue += [one for one in _SPECIAL if _SPECIAL[one] == queue[-1]]
    return seen


def discovered(path: Path, schemas: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kinds = {
        (gvk["group"], gvk["version"], gvk["kind"]): name
        for name, schema in schemas.items()
        for gvk in schema.get("x-kubernetes-group-version-kind", ())
        if name.rsplit(".", 1)[0] != "meta.v1" or gvk["group"] == ""
    }
    core = json.loads((path.parent / "api__v1.json").read_text())
    documents = json.loads(path.read_text())["items"]
    served = [("", "v1", _old_style(core["resources"]))] + [
        (item["metadata"]["name"], version["version"], version["resources"])
        for item in documents
        for version in item["versions"]
    ]
    for group, version, resources in served:
        if group in GROUPS and version in VERSIONS.get(group, ("v1",)):
            for one in resources:
                if (group, version, one["resource"]) != ("autoscaling", "v1", "horizontalpodautoscalers"):
                    yield resource(group, version, one, kinds)


def _old_style(resources: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The core group's list names `pods/log` beside `pods`; the aggregated form has it inside."""
    found: dict[str, dict[str, Any]] = {}
    for one in resources:
        name, _, sub = one["name"].partition("/")
        kind = {"group": one.get("group", ""), "version": one.get("version", ""), "kind": one["kind"]}
        if sub:
            holder = found.setdefault(
                name, {"resource": name, "verbs": [], "scope": "Namespaced", "responseKind": kind}
            )
            holder.setdefault("subresources", []).append(
                {"subresource": sub, "responseKind": kind, "verbs": one["verbs"]}
            )
        else:
            found.setdefault(name, {}).update(
                {
                    "resource": name,
                    "responseKind": kind,
                    "scope": "Namespaced" if one["namespaced"] else "Cluster",
                    "singularResource": one["singularName"],
                    "verbs": one["verbs"],
                    "shortNames": one.get("shortNames", []),
                    "categories": one.get("categories", []),
                }
            )
    return list(found.values())


def resource(
    group: str, version: str, one: dict[str, Any], kinds: dict[tuple[str, str, str], str]
) -> dict[str, Any]:
    def of(kind: dict[str, str]) -> tuple[str, str, str]:
        return (
            kind["group"] or (group if not kind["version"] else ""),
            kind["version"] or version,
            kind["kind"],
        )

    kind = of(one["responseKind"])
    subresources = [
        [sub["subresource"], list(of(sub["responseKind"])), sub["verbs"]]
        for sub in one.get("subresources", ())
    ]
    named = [kinds[kind]] + [kinds[tuple(sub[1])] for sub in subresources if tuple(sub[1]) in kinds]
    return {
        "name": one["resource"],
        "group": group,
        "version": version,
        "kind": kind[2],
        "singular": one.get("singularResource", ""),
        "namespaced": one["scope"] == "Namespaced",
        "verbs": one["verbs"],
        "short": one.get("shortNames", []),
        "categories": one.get("categories", []),
        "subresources": subresources,
        "kinds": named,
    }


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Stop as stop:
        print(f"kube_types: {stop}", file=sys.stderr)
        sys.exit(1)

"""Random small repositories with kustomizations, written as people write them: odd scalars, nulls, quotes, flow and block style."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("web", "db", "settings")
_WORDS = (
    "x",
    "web",
    "settings",
    '"x"',
    "'y'",
    "5",
    '"5"',
    "0644",
    "1.10",
    "1e3",
    "true",
    '"true"',
    "yes",
    "on",
    "~",
    "null",
    "",
    "a-b/c",
    "2024-01-02",
)
scalars = st.sampled_from(_WORDS)
names = st.sampled_from(NAMES)


class Raw(str):
    """Stands in the file as it is."""

    __slots__ = ()


raw = scalars.map(Raw)
_small = st.dictionaries(st.sampled_from("abc"), raw, max_size=3)
_env = st.fixed_dictionaries({"name": st.sampled_from("ABC").map(Raw)}, optional={"value": raw})
_ports = st.fixed_dictionaries(
    {"containerPort": st.sampled_from(("80", "81")).map(Raw)},
    optional={"protocol": st.sampled_from(("TCP", "UDP")).map(Raw), "name": raw},
)
_container = st.fixed_dictionaries(
    {"name": st.sampled_from(("main", "side")).map(Raw)},
    optional={
        "image": st.sampled_from(("nginx", "nginx:1", '"redis:2"', "db@sha256:0123")).map(Raw),
        "args": st.lists(raw, max_size=2),
        "env": st.lists(_env, max_size=3, unique_by=lambda one: one["name"]),
        "ports": st.lists(
            _ports, max_size=3, unique_by=lambda one: (one["containerPort"], one.get("protocol"))
        ),
        "envFrom": st.lists(names.map(lambda name: {"configMapRef": {"name": Raw(name)}}), max_size=1),
        "resources": _small,
    },
)
_volumes = st.lists(
    names.flatmap(
        lambda name: st.sampled_from(
            (
                {"name": Raw(f"v-{name}"), "configMap": {"name": Raw(name)}},
                {"name": Raw(f"v-{name}"), "secret": {"secretName": Raw(name)}},
                {"name": Raw(f"v-{name}"), "emptyDir": {}},
            )
        )
    ),
    max_size=2,
    unique_by=lambda one: one["name"],
)
_pod = st.fixed_dictionaries(
    {"containers": st.lists(_container, max_size=2, unique_by=lambda one: one["name"])},
    optional={"volumes": _volumes, "nodeSelector": _small, "tolerations": st.lists(_small, max_size=2)},
)
_template = st.fixed_dictionaries(
    {"spec": _pod}, optional={"metadata": st.fixed_dictionaries({}, optional={"labels": _small})}
)
_deployment = st.fixed_dictionaries(
    {},
    optional={
        "replicas": st.sampled_from(("1", '"2"', "")).map(Raw),
        "template": _template,
        "selector": st.fixed_dictionaries({}, optional={"matchLabels": _small}),
    },
)
_anything = st.recursive(
    raw,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=8,
)
_metadata = st.fixed_dictionaries(
    {},
    optional={
        "labels": _small,
        "annotations": _small,
        "namespace": st.sampled_from(("one", '"two"', "")).map(Raw),
    },
)
_KINDS: dict[str, tuple[str, str, st.SearchStrategy[Any]]] = {
    "Deployment": ("apps/v1", "spec", _deployment),
    "StatefulSet": ("apps/v1", "spec", _deployment),
    "ConfigMap": ("v1", "data", _small),
    "Secret": ("v1", "data", _small),
    "Service": (
        "v1",
        "spec",
        st.fixed_dictionaries({}, optional={"selector": _small, "ports": st.lists(_small, max_size=1)}),
    ),
    "Namespace": ("v1", "spec", _small),
    "Thing": ("example.com/v1", "spec", _anything),
}


@st.composite
def objects(draw: st.DrawFn, kinds: tuple[str, ...] = tuple(_KINDS)) -> dict[str, Any]:
    kind = draw(st.sampled_from(kinds))
    api_version, field, content = _KINDS[kind]
    made: dict[str, Any] = {"apiVersion": Raw(api_version), "kind": Raw(kind)}
    made["metadata"] = {"name": Raw(draw(names)), **draw(_metadata)}
    if draw(st.booleans()):
        made[field] = draw(content)
    return made


def _id(one: dict[str, Any]) -> tuple[str, str]:
    return one["kind"], one["metadata"]["name"]


_generator = st.fixed_dictionaries(
    {"name": names.map(Raw)},
    optional={
        "literals": st.lists(
            st.sampled_from(("a=b", "c=5", "d=on", 'e="q"', "a=again")).map(Raw), max_size=2
        ),
        "behavior": st.sampled_from(("merge", "replace", "create")).map(Raw),
        "options": st.fixed_dictionaries(
            {}, optional={"disableNameSuffixHash": st.just(Raw("true")), "labels": st.just({"l": Raw('"1"')})}
        ),
    },
)
_target = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from((*_KINDS, "Dep.*|Conf.*")).map(Raw),
        "name": st.sampled_from((*NAMES, '"w.*"')).map(Raw),
        "labelSelector": st.sampled_from(('"a=x"', '"a in (x,5),!b"')).map(Raw),
    },
)


@st.composite
def _patches(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        patch: dict[str, Any] = {"patch": written(draw(objects()))}
        if draw(st.booleans()):
            patch["target"] = draw(_target)
        if draw(st.integers(0, 5)) == 0:
            patch["options"] = {"allowNameChange": Raw("true")}
        return patch
    operation = draw(
        st.sampled_from(
            (
                {"op": "add", "path": "/metadata/labels/j", "value": "x"},
                {"op": "add", "path": "/metadata/annotations/j", "value": "y"},
                {"op": "remove", "path": "/metadata/labels"},
                {"op": "replace", "path": "/spec", "value": {"a": 5, "b": "on", "c": None}},
                {"op": "add", "path": "/spec/template/spec/containers/0/image", "value": "patched"},
                {"op": "replace", "path": "/metadata/name", "value": "renamed"},
            )
        )
    )
    return {
        "target": draw(_target),
        "patch": written([{key: quoted(value) for key, value in operation.items()}]),
    }


def quoted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: quoted(one) for key, one in value.items()}
    return Raw("null" if value is None else f'"{value}"' if isinstance(value, str) else str(value))


_OPTIONS: dict[str, st.SearchStrategy[Any]] = {
    "namespace": st.sampled_from(("prod", '"one"')).map(Raw),
    "namePrefix": st.just(Raw("pre-")),
    "nameSuffix": st.just(Raw('"-suf"')),
    "commonLabels": st.sampled_from(('"common"', '"other"')).map(lambda value: {"a": Raw(value)}),
    "labels": st.lists(
        st.fixed_dictionaries(
            {"pairs": st.just({"l": Raw('"5"')})},
            optional={"includeSelectors": st.just(Raw("true")), "includeTemplates": st.just(Raw("true"))},
        ),
        max_size=2,
    ),
    "commonAnnotations": st.sampled_from(('"5"', "new")).map(
        lambda value: {"a": Raw(value), "z": Raw("text")}
    ),
    "images": st.lists(
        st.fixed_dictionaries(
            {"name": st.sampled_from(("nginx", "redis", "db")).map(Raw)},
            optional={
                "newTag": st.just(Raw('"9"')),
                "newName": st.just(Raw("mirror/x")),
                "tagSuffix": st.just(Raw("-s")),
            },
        ),
        max_size=2,
    ),
    "replicas": st.lists(names.map(lambda name: {"name": Raw(name), "count": Raw("3")}), max_size=1),
    "configMapGenerator": st.lists(_generator, max_size=2),
    "secretGenerator": st.lists(_generator, max_size=1),
    "patches": st.lists(_patches(), max_size=2),
    "sortOptions": st.just({"order": Raw("fifo")}),
    "vars": names.map(
        lambda name: [
            {
                "name": Raw("V"),
                "objref": {"apiVersion": Raw("v1"), "kind": Raw("ConfigMap"), "name": Raw(name)},
            }
        ]
    ),
    "generatorOptions": st.just({"labels": {"g": Raw('"1"')}}),
    "replacements": st.lists(
        st.builds(
            lambda kind, path, target, to, create: {
                "source": {"kind": Raw(kind), "fieldPath": Raw(path)},
                "targets": [
                    {
                        "select": {"kind": Raw(target)},
                        "fieldPaths": [Raw(to)],
                        "options": {"create": Raw(create)},
                    }
                ],
            },
            st.sampled_from(("ConfigMap", "Deployment", "Thing")),
            st.sampled_from(("metadata.name", "data.a", "spec.replicas", "spec.a", "metadata.labels")),
            st.sampled_from(("ConfigMap", "Thing", "Service")),
            st.sampled_from(
                ("data.b", "spec.a", "metadata.labels.a", "metadata.annotations.new", "spec.list.0.x")
            ),
            st.sampled_from(("true", "false")),
        ),
        max_size=1,
    ),
}


@st.composite
def _kustomization(draw: st.DrawFn, resources: list[str]) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(sorted(_OPTIONS)), max_size=4, unique=True))
    return {"resources": [Raw(one) for one in resources], **{key: draw(_OPTIONS[key]) for key in chosen}}


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """Path → content. `overlay` is to be built."""
    flow = draw(st.booleans())
    found = draw(st.lists(objects(), min_size=1, max_size=4, unique_by=_id))
    files = {"base/objects.yaml": "---\n".join(written(one, flow=flow) for one in found)}
    files["base/kustomization.yaml"] = written(draw(_kustomization(["objects.yaml"])))
    above = "../base"
    if draw(st.booleans()):
        files["middle/kustomization.yaml"] = written(draw(_kustomization(["../base"])))
        above = "../middle"
    overlay = draw(_kustomization([above]))
    if draw(st.booleans()):
        overlay["components"] = [Raw("../part")]
        part = draw(_kustomization([]))
        part |= {"apiVersion": Raw("kustomize.config.k8s.io/v1alpha1"), "kind": Raw("Component")}
        files["part/kustomization.yaml"] = written(part)
    files["overlay/kustomization.yaml"] = written(overlay)
    return files


def written(value: Any, *, flow: bool = False) -> str:
    """YAML. `flow`: with what is two levels deep in braces."""
    return "\n".join(_lines(value, 2 if flow else 99)) + "\n"


def _lines(value: Any, depth: int) -> list[str]:
    lines: list[str] = []
    if isinstance(value, dict) and value:
        for key, one in value.items():
            lines += _entry(f"{key}:", one, depth, indent="  ")
    elif isinstance(value, list) and value:
        for one in value:
            below = _lines(one, depth - 1) if _is_block(one, depth - 1) else [_inline(one)]
            lines += [f"- {below[0]}", *(f"  {line}" for line in below[1:])]
    else:
        lines.append(_inline(value))
    return lines


def _entry(start: str, value: Any, depth: int, indent: str) -> list[str]:
    if isinstance(value, str) and not isinstance(value, Raw):
        return [f"{start} |", *(f"{indent}{line}" for line in value.splitlines())]
    if _is_block(value, depth - 1):
        return [start, *(f"{indent}{line}" for line in _lines(value, depth - 1))]
    return [f"{start} {_inline(value)}".rstrip()]


def _is_block(value: Any, depth: int) -> bool:
    return isinstance(value, dict | list) and bool(value) and depth > 0


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_inline(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(one) or "~" for one in value) + "]"
    return str(value)

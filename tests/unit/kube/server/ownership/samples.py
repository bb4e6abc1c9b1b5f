"""A custom kind with every form of field that ownership tells apart, and random objects of it."""

from __future__ import annotations

from hypothesis import strategies as st

from argosy.kube.objects import Object
from argosy.kube.schema import List, Map, Member, Scalar, Struct, Untyped, struct

THEN, NOW, LATER = "2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "2024-01-03T00:00:00Z"
TEXT, NUMBER = Scalar("string"), Scalar("int64")
ITEM = Struct(
    {
        "id": Member(NUMBER),
        "kind": Member(TEXT, default="K"),
        "value": Member(TEXT),
        "tags": Member(List(TEXT, "set")),
    }
)
SPEC = Struct(
    {
        "always": Member(TEXT),
        "text": Member(TEXT),
        "number": Member(NUMBER),
        "list": Member(List(TEXT)),
        "set": Member(List(TEXT, "set")),
        "items": Member(List(ITEM, "map", ("id", "kind"), {"kind": "K"})),
        "map": Member(Map(TEXT)),
        "one": Member(Map(TEXT, atomic=True)),
        "free": Member(Struct({}, open=True)),
        "any": Member(Untyped()),
    }
)
STATUS = Struct({"phase": Member(TEXT), "ready": Member(NUMBER)})
SCHEMA = Struct(
    {
        "apiVersion": Member(TEXT),
        "kind": Member(TEXT),
        "metadata": Member(struct("meta.v1.ObjectMeta")),
        "spec": Member(SPEC),
        "status": Member(STATUS),
    }
)
DEPLOYMENT = struct("apps.v1.Deployment")
CONFIG_MAP = struct("core.v1.ConfigMap")


def thing(spec: Object | None = None, **more: object) -> Object:
    """An object of the custom kind."""
    said = {} if spec is None else {"spec": spec}
    return {"apiVersion": "e.io/v1", "kind": "Thing", "metadata": {"name": "x"}, **said, **more}


def config_map(**data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": data}


def deployment(**spec: object) -> Object:
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}


def owned(obj: Object) -> dict[str, Object]:
    """Each manager's fields: `name` for appliers, `name (Update)`, `name (Update/status)`."""
    return {_label(entry): entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", [])}


def times(obj: Object) -> dict[str, str]:
    return {_label(entry): entry.get("time", "") for entry in obj["metadata"].get("managedFields", [])}


def bare(obj: Object) -> Object:
    """Without what is noted of its owners."""
    meta = {name: value for name, value in obj["metadata"].items() if name != "managedFields"}
    return {**obj, "metadata": meta}


def _label(entry: Object) -> str:
    if entry["operation"] == "Apply":
        return str(entry["manager"])
    where = f"/{entry['subresource']}" if "subresource" in entry else ""
    return f"{entry['manager']} (Update{where})"


NAMES, VALUES = st.sampled_from("abc"), st.sampled_from(["1", "2"])
_MAPS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=3)
_FREE = st.recursive(
    st.one_of(VALUES, st.integers(0, 2), st.booleans()),
    lambda inside: st.one_of(
        st.lists(inside, max_size=2), st.dictionaries(NAMES, inside, min_size=1, max_size=3)
    ),
    max_leaves=5,
)
_ITEMS = st.lists(
    st.fixed_dictionaries(
        {"id": st.integers(1, 11)},
        optional={
            "kind": st.sampled_from("KL"),
            "value": VALUES,
            "tags": st.lists(NAMES, unique=True, min_size=1),
        },
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda item: (item["id"], item.get("kind", "K")),
)
FIELDS: dict[str, st.SearchStrategy[object]] = {
    "text": VALUES,
    "number": st.integers(0, 2),
    "list": st.lists(NAMES, min_size=1, max_size=3),
    "set": st.lists(st.sampled_from(["a", "b", '"<']), unique=True, min_size=1),
    "items": _ITEMS,
    "map": _MAPS,
    "one": _MAPS,
    "free": st.dictionaries(NAMES, _FREE, min_size=1, max_size=3),
    "any": _FREE,
}
SPECS = st.fixed_dictionaries({"always": st.just("here")}, optional=FIELDS)
"""Never empty: an empty map is a field of its own, and null once nothing is left in it."""
THINGS = SPECS.map(thing)

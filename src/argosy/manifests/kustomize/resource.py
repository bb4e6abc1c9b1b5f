"""One object on its way through the transformers, with what it was called before.

Upstream keeps this memory in annotations of the object and takes them out in the end; here it stands beside the object.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import copied, plain_object
from argosy.manifests.kustomize.identity import (
    CLUSTER_WIDE,
    DEFAULT,
    NO_NAMESPACE,
    Gvk,
    Id,
    gvk_of,
)
from argosy.manifests.kustomize.origins import Origin
from argosy.manifests.kustomize.scalars import Scalar, is_null, new_text, text_of, untagged
from argosy.manifests.tree import SourceError

ClusterWide: TypeAlias = Container[tuple[str, str]]
"""Which kinds, by apiVersion and kind, belong to the cluster."""


class Was(NamedTuple):
    """What a resource was called before a transformer renamed or moved it."""

    name: str
    scope: str
    kind: str


@dataclass(slots=True, eq=False)
class Resource:
    obj: Object
    cluster_wide: ClusterWide = CLUSTER_WIDE
    was: list[Was] = field(default_factory=list)
    prefixes: list[str] = field(default_factory=list)
    suffixes: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    """The names of vars that read from it."""
    behaviour: str = ""
    """Of a generated one: `create`, `merge`, `replace`."""
    hashed: bool = False
    """Its name gets a hash of its content."""
    may_rename: bool = False
    may_change_kind: bool = False
    from_chart: bool = False
    """Helm gave it its namespace already."""
    origin: Origin | None = None
    transformations: list[Origin] = field(default_factory=list)

    @property
    def gvk(self) -> Gvk:
        return gvk_of(text_of(self.obj.get("apiVersion", "")), self.kind)

    @property
    def kind(self) -> str:
        return text_of(self.obj.get("kind", ""))

    @property
    def name(self) -> str:
        return _text(self.metadata.get("name", ""))

    @property
    def namespace(self) -> str:
        return _text(self.metadata.get("namespace", ""))

    @property
    def metadata(self) -> Object:
        """For reading."""
        found = self.obj.get("metadata")
        return found if isinstance(found, dict) else {}

    @property
    def id(self) -> Id:
        gvk, namespace = self.gvk, self.namespace
        if (gvk.api_version, gvk.kind) in self.cluster_wide:
            scope = NO_NAMESPACE
        else:
            scope = namespace or DEFAULT
        return Id(gvk, self.name, namespace, scope)

    @property
    def cluster_scoped(self) -> bool:
        return self.id.scope == NO_NAMESPACE

    def former_ids(self) -> list[Id]:
        if not self.was:
            return []
        api_version = text_of(self.obj.get("apiVersion", ""))
        return [Id(gvk_of(api_version, was.kind), was.name, was.scope, was.scope) for was in self.was]

    def any_id(self) -> list[Id]:
        return [*self.former_ids(), self.id]

    @property
    def first_id(self) -> Id:
        return self.former_ids()[0] if self.was else self.id

    def remember(self) -> None:
        """What it is called now, before that changes."""
        now = self.id
        self.was.append(Was(now.name, now.scope, now.gvk.kind))

    def touched(self) -> bool:
        """Upstream would have annotations of its own on it."""
        return bool(
            self.was or self.prefixes or self.suffixes or self.behaviour or self.hashed or self.origin
        )

    def set_name(self, name: str) -> None:
        set_text(made_mapping(self.obj, "metadata"), "name", name)

    def set_namespace(self, namespace: str) -> None:
        if namespace:
            set_text(made_mapping(self.obj, "metadata"), "namespace", namespace)
        else:
            self.metadata.pop("namespace", None)

    def texts(self, of: str) -> dict[str, str]:
        """Its `labels` or `annotations`, each as the text that stands there."""
        found = self.metadata.get(of)
        return {str(key): text_of(value) for key, value in found.items()} if isinstance(found, dict) else {}

    def set_texts(self, of: str, values: dict[str, str]) -> None:
        metadata = made_mapping(self.obj, "metadata")
        metadata.pop(of, None)
        if values:
            metadata[of] = {key: new_text(values[key]) for key in sorted(values)}

    def copy(self) -> Resource:
        return Resource(
            copied(self.obj),
            self.cluster_wide,
            list(self.was),
            list(self.prefixes),
            list(self.suffixes),
            list(self.variables),
            self.behaviour,
            self.hashed,
            self.may_rename,
            self.may_change_kind,
            self.from_chart,
            self.origin,
            list(self.transformations),
        )

    def finished(self) -> Object:
        try:
            return plain_object(self.obj)
        except SourceError as error:
            raise SourceError(f"{self.id}: {error}") from error


def _text(value: Scalar) -> str:
    return "" if is_null(value) else text_of(value)


def set_text(mapping: Object, key: str, text: str) -> None:
    """As upstream sets a name: in the quotes that were there."""
    mapping[key] = untagged(mapping[key], text) if key in mapping else new_text(text)


def made_mapping(mapping: Object, key: str) -> Object:
    found = mapping.get(key)
    if not isinstance(found, dict):
        found = mapping[key] = {}
    return found


def same_ending(one: list[str], other: list[str]) -> bool:
    shorter = min(len(one), len(other))
    if shorter == 0:
        return len(one) == len(other)
    return one[-shorter:] == other[-shorter:]


def append(to: list[Resource], more: Iterable[Resource]) -> None:
    """Raises when one is there already."""
    known = {_key(one.id) for one in to}
    for one in more:
        identity = one.id
        if _key(identity) in known:
            raise SourceError(f"may not add resource with an already registered id: {identity}")
        known.add(_key(identity))
        to.append(one)


def _key(identity: Id) -> tuple[Gvk, str, str]:
    return identity.gvk, identity.name, identity.scope

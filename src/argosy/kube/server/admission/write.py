"""One write, as the admission plug-ins look at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from argosy.kube.errors import ApiError, forbidden
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.server.access import User
from argosy.kube.types import Resource

Operation: TypeAlias = Literal["CREATE", "UPDATE", "DELETE"]


class Reader(Protocol):
    """The newest state of the cluster, writes under way included."""

    def get(self, collection: str, namespace: str, name: str) -> Object | None: ...

    def list(self, collection: str, namespace: str = "") -> Iterable[Object]: ...


@dataclass(slots=True)
class Write:
    reader: Reader
    user: User
    operation: Operation
    resource: Resource
    obj: Object
    old: Object | None
    subresource: str = ""
    warnings: list[str] = field(default_factory=list)

    def creates(self, group_resource: str) -> bool:
        return (
            self.operation == "CREATE"
            and not self.subresource
            and self.resource.group_resource == group_resource
        )

    def updates(self, group_resource: str) -> bool:
        return (
            self.operation == "UPDATE"
            and not self.subresource
            and self.resource.group_resource == group_resource
        )

    @property
    def name(self) -> str:
        return name_of(self.obj)

    @property
    def namespace(self) -> str:
        return namespace_of(self.obj)

    def forbidden(self, why: str) -> ApiError:
        shown = f'{self.resource.group_resource} "{self.name}" is forbidden: {why}'
        return forbidden(shown, plural=self.resource.plural, name=self.name, group=self.resource.kind.group)

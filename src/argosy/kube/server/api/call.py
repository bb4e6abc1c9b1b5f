"""One request on its way: what every station needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from argosy.kube.errors import ApiError, bad_request, not_found
from argosy.kube.objects import Key, Object
from argosy.kube.server.access import User
from argosy.kube.server.api.addresses import Address
from argosy.kube.server.api.negotiation import Form, form
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.decoding import text
from argosy.kube.server.registry import Served
from argosy.kube.server.store import Stored
from argosy.kube.wire import Request


@dataclass(slots=True)
class Call:
    cluster: Cluster
    request: Request
    user: User
    address: Address
    served: Served
    warnings: list[str] = field(default_factory=list)
    empties: list[tuple[Object, str]] = field(default_factory=list)
    """Of what was decoded: see `decoding.Decoded`."""
    yaml: tuple[Any, list[str]] | ApiError | None = None
    """What a long body in YAML holds: read beforehand, beside the loop."""

    def yaml_value(self) -> tuple[Any, list[str]]:
        """And complaints about keys that stand twice."""
        if isinstance(self.yaml, ApiError):
            raise self.yaml
        return text.yaml_value(self.request.body) if self.yaml is None else self.yaml

    @property
    def plural(self) -> str:
        return self.served.resource.plural

    @property
    def group(self) -> str:
        return self.served.resource.kind.group

    def form(self, *, shapes: bool = True) -> Form:
        """In which an answer is wanted."""
        return form(self.request, shapes=shapes, routed=not self.served.custom)

    def key(self, name: str = "") -> Key:
        namespace = self.address.namespace if self.served.resource.namespaced else ""
        check_segments(namespace, name or self.address.name)
        return Key(self.served.collection, namespace, name or self.address.name)

    def committed(self) -> Stored:
        found = self.cluster.store.get(self.key())
        if found is None:
            raise not_found(self.plural, self.address.name, group=self.group)
        return found

    def latest(self) -> Stored:
        """What a write starts from."""
        found = self.cluster.store.latest(self.key())
        if found is None:
            raise not_found(self.plural, self.address.name, group=self.group)
        return found


def check_segments(namespace: str, name: str = "") -> None:
    for what, said in (("Namespace", namespace), ("Name", name)):
        if "/" in said or "%" in said or said in {".", ".."}:
            why = f"may not be '{said}'" if said[0] == "." and len(said) < 3 and "/" not in said else ""
            told = why or ";".join(f"may not contain '{one}'" for one in "/%" if one in said)
            raise bad_request(f'{what} parameter invalid: "{said}": {told}')

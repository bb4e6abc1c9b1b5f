"""One request on its way: what every station needs to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from argosy.kube.errors import bad_request, not_found
from argosy.kube.objects import Key, Object
from argosy.kube.server.access import User
from argosy.kube.server.api.addresses import Address
from argosy.kube.server.api.negotiation import Form, form
from argosy.kube.server.cluster import Cluster
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
        _check_segments(namespace, name or self.address.name)
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


def _check_segments(namespace: str, name: str) -> None:
    for what, text in (("Namespace", namespace), ("Name", name)):
        if "/" in text or "%" in text or text in {".", ".."}:
            why = f"may not be '{text}'" if text[0] == "." and len(text) < 3 and "/" not in text else ""
            told = why or ";".join(f"may not contain '{one}'" for one in "/%" if one in text)
            raise bad_request(f'{what} parameter invalid: "{text}": {told}')

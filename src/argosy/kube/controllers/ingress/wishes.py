"""What an Ingress asks for, read from its spec: which requests shall go to which Service. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from argosy.domain.ingress import Elements, elements
from argosy.kube.objects import Object, annotations_of

CONTROLLER = "argosy.io/gateway"
_OLD_CLASS = "kubernetes.io/ingress.class"
Covers: TypeAlias = Literal["Exact", "Prefix", "Default"]


class Wish(NamedTuple):
    """`host` is empty for what is served under the path of the Ingress itself. `Default` is what nothing else covers."""

    host: str
    path: str
    covers: Covers
    service: str
    port: str
    """A name or a number."""

    @property
    def place(self) -> tuple[str, str | Elements]:
        """Two wishes for the same place cannot both be served."""
        match self.covers:
            case "Exact":
                return self.host, self.path
            case "Prefix":
                return self.host, elements(self.path)
            case _:
                return self.host, "default"

    @property
    def shown(self) -> str:
        return f"{self.host}{self.path}" if self.covers != "Default" else f"{self.host} (default)"


class Refusal(NamedTuple):
    """For people: why something of an Ingress is not served."""

    reason: str
    words: str


def is_ours(ingress: Object, classes: Mapping[str, Object]) -> bool:
    """`classes`: the IngressClasses by name. An Ingress without a class was given the default one when it was made."""
    name = ingress["spec"].get("ingressClassName") or annotations_of(ingress).get(_OLD_CLASS, "")
    found = classes.get(name)
    return found is not None and (found.get("spec") or {}).get("controller") == CONTROLLER


def wishes(ingress: Object) -> tuple[list[Wish], list[Refusal]]:
    """In the order of precedence where two say the same: what the first one covers, the second one never gets."""
    spec = ingress["spec"]
    found = [*_of_rules(spec), *_of_default(spec)]
    refusals = [
        Refusal("BackendNotServed", f"the backend of {wish.shown} is no Service")
        for wish in found
        if not wish.service
    ]
    return [wish for wish in found if wish.service], refusals


def _of_rules(spec: Object) -> Iterator[Wish]:
    listed = [
        (str(rule.get("host") or ""), one)
        for rule in spec.get("rules") or ()
        for one in (rule.get("http") or {}).get("paths") or ()
    ]
    # `ImplementationSpecific` is a prefix here, and gives way to whoever says so.
    for host, one in sorted(listed, key=lambda each: each[1].get("pathType") == "ImplementationSpecific"):
        covers: Covers = "Exact" if one.get("pathType") == "Exact" else "Prefix"
        yield _wish(host, one.get("path") or "/", covers, one["backend"])


def _of_default(spec: Object) -> Iterator[Wish]:
    """Every host that the Ingress names, and its own path, fall back to its default backend."""
    if (backend := spec.get("defaultBackend")) is not None:
        for host in dict.fromkeys([*(str(rule.get("host") or "") for rule in spec.get("rules") or ()), ""]):
            yield _wish(host, "/", "Default", backend)


def _wish(host: str, path: str, covers: Covers, backend: Object) -> Wish:
    service = backend.get("service") or {}
    port = service.get("port") or {}
    return Wish(
        host, path, covers, str(service.get("name") or ""), str(port.get("name") or port.get("number") or "")
    )


def without_secrets(ingress: Object, present: Mapping[str, Object]) -> list[Refusal]:
    """`present`: the TLS Secrets of its namespace by name."""
    named = [str(one.get("secretName") or "") for one in ingress["spec"].get("tls") or ()]
    missing = [
        Refusal("TLSSecretMissing", f"there is no Secret {name!r} of type kubernetes.io/tls")
        for name in dict.fromkeys(named)
        if name and name not in present
    ]
    served = Refusal(
        "TLSNotServed",
        "spec.tls is not served: the gateway speaks with its own certificate, or plainly when it has none",
    )
    return [*missing, served] if ingress["spec"].get("tls") else []

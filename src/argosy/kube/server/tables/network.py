"""How workloads are reached."""

from __future__ import annotations

from argosy.kube.objects import Object, annotations_of
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
    SELECTOR,
    Cells,
    Printer,
    age,
    name,
    part,
    spec,
    status,
    text,
)
from argosy.kube.server.tables.wording import NONE, address, first, labels, selector

_MOST = 3


def _service(obj: Object) -> Cells:
    of = spec(obj)
    return [
        name(obj),
        of.get("type", ""),
        (of.get("clusterIPs") or [NONE])[0],
        _external(obj),
        ",".join(_port(one) for one in of.get("ports") or ()) or NONE,
        age(obj),
        labels(of.get("selector")),
    ]


def _external(obj: Object) -> str:
    of = spec(obj)
    given: list[str] = of.get("externalIPs") or []
    match of.get("type"):
        case "ClusterIP" | "NodePort":
            return ",".join(given) or NONE
        case "LoadBalancer":
            return ",".join([*_balancers(obj), *given]) or "<pending>"
        case "ExternalName":
            return str(of.get("externalName", ""))
        case _:
            return "<unknown>"


def _balancers(obj: Object) -> list[str]:
    found = part(status(obj), "loadBalancer").get("ingress") or ()
    return sorted({one.get("ip") or one.get("hostname") or "" for one in found} - {""})


def _port(port: Object) -> str:
    node = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port.get('port', 0)}{node}/{port.get('protocol', '')}"


def _ingress(obj: Object) -> Cells:
    of = spec(obj)
    return [
        name(obj),
        of.get("ingressClassName", NONE),
        _hosts(of.get("rules") or []),
        ",".join(_balancers(obj)),
        "80, 443" if of.get("tls") else "80",
        age(obj),
    ]


def _hosts(rules: list[Object]) -> str:
    """Rules without a host count, but only when the list is full already."""
    shown: list[str] = []
    more = False
    for rule in rules:
        more = more or len(shown) == _MOST
        if not more and rule.get("host"):
            shown.append(rule["host"])
    if not shown:
        return "*"
    return ",".join(shown) + (f" + {len(rules) - _MOST} more..." if more else "")


def _ingress_class(obj: Object) -> Cells:
    default = annotations_of(obj).get("ingressclass.kubernetes.io/is-default-class") == "true"
    given, parameters = spec(obj).get("parameters"), NONE
    if given is not None:
        group = f".{given['apiGroup']}" if "apiGroup" in given else ""
        parameters = f"{given.get('kind', '')}{group}/{given.get('name', '')}"
    shown = f"{name(obj)} (default)" if default else name(obj)
    return [shown, spec(obj).get("controller", ""), parameters, age(obj)]


def _endpoints(obj: Object) -> Cells:
    found: list[str] = []
    for subset in obj.get("subsets") or ():
        hosts = [str(one.get("ip", "")) for one in subset.get("addresses") or ()]
        ports = subset.get("ports")
        found += [address(host, port.get("port", 0)) for port in ports for host in hosts] if ports else hosts
    shown = first(found) if found else NONE if not obj.get("subsets") else ""
    return [name(obj), shown, age(obj)]


def _endpoint_slice(obj: Object) -> Cells:
    ports = [str(one.get("port", one.get("name", "*"))) for one in obj.get("ports") or ()]
    hosts = [host for one in obj.get("endpoints") or () for host in one.get("addresses") or ()]
    return [name(obj), obj.get("addressType", ""), first(ports), first(hosts), age(obj)]


def _network_policy(obj: Object) -> Cells:
    return [name(obj), selector(spec(obj).get("podSelector")), age(obj)]


def _service_range(obj: Object) -> Cells:
    return [name(obj), ",".join(spec(obj).get("cidrs") or ()), age(obj)]


def _address(obj: Object) -> Cells:
    holder, told = spec(obj).get("parentRef"), NONE
    if holder is not None:
        group = f".{holder['group']}" if holder.get("group") else ""
        space = f"/{holder['namespace']}" if holder.get("namespace") else ""
        told = f"{holder.get('resource', '')}{group}".lower() + f"{space}/{holder.get('name', '')}"
    return [name(obj), told, age(obj)]


PRINTERS = {
    "services": Printer(
        (NAME, *map(text, ("Type", "Cluster-IP", "External-IP", "Port(s)")), AGE, SELECTOR), _service
    ),
    "ingresses.networking.k8s.io": Printer(
        (NAME, *map(text, ("Class", "Hosts", "Address", "Ports")), AGE), _ingress
    ),
    "ingressclasses.networking.k8s.io": Printer(
        (NAME, text("Controller"), text("Parameters"), AGE), _ingress_class
    ),
    "endpoints": Printer((NAME, text("Endpoints"), AGE), _endpoints),
    "endpointslices.discovery.k8s.io": Printer(
        (NAME, text("AddressType"), text("Ports"), text("Endpoints"), AGE), _endpoint_slice
    ),
    "networkpolicies.networking.k8s.io": Printer((NAME, text("Pod-Selector"), AGE), _network_policy),
    "servicecidrs.networking.k8s.io": Printer((NAME, text("CIDRs"), AGE), _service_range),
    # Three cells under two headings: upstream's own.
    "ipaddresses.networking.k8s.io": Printer((NAME, text("ParentRef")), _address),
}

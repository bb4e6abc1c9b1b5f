"""Services get an address inside the cluster (`service_addresses`), and ports on the nodes when they ask for them."""

from __future__ import annotations

from argosy.kube.errors import Cause, internal, invalid
from argosy.kube.objects import Object
from argosy.kube.server.admission import service_addresses
from argosy.kube.server.admission.names import candidates
from argosy.kube.server.admission.write import Write

_NODE_PORTS = range(30_000, 32_768)


def admit(write: Write) -> None:
    if not (write.creates("services") or write.updates("services")):
        return
    spec = write.obj.setdefault("spec", {})
    before = (write.old or {}).get("spec") or {}
    own = "" if write.old is None else write.old["metadata"]["uid"]
    others = [one for one in write.reader.list("services") if one["metadata"].get("uid") != own]
    if write.old is not None:
        _keep(spec, before)
    service_addresses.give(write, spec, before, others)
    _give_ports(write, spec, before, {port for one in others for port in _ports(one.get("spec") or {})})


def _keep(spec: Object, before: Object) -> None:
    """What an update leaves out was given by us, and stays."""
    service_addresses.keep(spec, before)
    if _needs_ports(spec) and _needs_ports(before):
        taken = set(_ports(spec)) & set(_ports(before))
        known = {one.get("name", ""): one.get("nodePort") for one in before.get("ports") or ()}
        for port in spec.get("ports") or ():
            kept = known.get(port.get("name", ""))
            if not port.get("nodePort") and kept and kept not in taken:
                port["nodePort"] = kept
    if _needs_health_port(spec) and _needs_health_port(before) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = before.get("healthCheckNodePort") or 0


def _give_ports(write: Write, spec: Object, before: Object, taken: set[int]) -> None:
    own = set(_ports(before))
    given: dict[tuple[str, int], int] = {}
    for at, port in enumerate(spec.get("ports") or () if _needs_ports(spec) else ()):
        key = port.get("protocol", "TCP"), port.get("port", 0)
        wanted = port.get("nodePort")
        if wanted and wanted not in own and wanted not in given.values():
            _check_port(write, at, wanted, taken)
        # Two protocols of one port share the port of the nodes.
        shared = next((number for (_, of), number in given.items() if of == key[1]), 0)
        if not wanted:
            port["nodePort"] = shared or _free_port(taken)
        given[key] = port["nodePort"]
        taken.add(port["nodePort"])
    if _needs_health_port(spec) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = _free_port(taken)


def _free_port(taken: set[int]) -> int:
    for port in candidates(_NODE_PORTS[0], _NODE_PORTS[-1]):
        if port not in taken:
            return port
    raise internal("failed to allocate a nodePort: range is full")


def _check_port(write: Write, at: int, wanted: int, taken: set[int]) -> None:
    why = ""
    if wanted not in _NODE_PORTS:
        why = f"provided port is not in the valid range. The range of valid ports is {_NODE_PORTS[0]}-{_NODE_PORTS[-1]}"
    elif wanted in taken:
        why = "provided port is already allocated"
    if why:
        cause = Cause("FieldValueInvalid", f"Invalid value: {wanted}: {why}", f"spec.ports[{at}].nodePort")
        raise invalid("Service", write.name, [cause])


def _needs_ports(spec: Object) -> bool:
    if spec.get("type") == "LoadBalancer":
        return spec.get("allocateLoadBalancerNodePorts") is not False or bool(_ports(spec))
    return spec.get("type") == "NodePort"


def _needs_health_port(spec: Object) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _ports(spec: Object) -> list[int]:
    found = [one["nodePort"] for one in spec.get("ports") or () if one.get("nodePort")]
    return found + ([spec["healthCheckNodePort"]] if spec.get("healthCheckNodePort") else [])

"""`argosy kube create|list|kubeconfig|delete`: the verbs for this machine's embedded clusters."""

from __future__ import annotations

import sys

import msgspec

from argosy.host.clusters import control
from argosy.host.clusters.fleet import ClusterState
from argosy.host.clusters.home import check_name, home
from argosy.host.lifecycle.failures import OK
from argosy.host.paths import DataDir


def create(data: DataDir, name: str, *, as_json: bool) -> int:
    check_name(name)
    made = msgspec.json.decode(control.ask(data, "PUT", f"/clusters/{name}"), type=ClusterState)
    if as_json:
        _print_json(made)
    else:
        sys.stdout.write(f"{made.name} answers at {made.url}\nexport KUBECONFIG={made.kubeconfig}\n")
    return OK


def list_(data: DataDir, *, as_json: bool) -> int:
    found = msgspec.json.decode(control.ask(data, "GET", "/clusters"), type=list[ClusterState])
    if as_json:
        _print_json(found)
        return OK
    width = max([4, *(len(one.name) for one in found)])
    lines = [f"{'NAME':<{width}}  {'URL':<26}  KUBECONFIG"]
    lines += [f"{one.name:<{width}}  {one.error or one.url:<26}  {one.kubeconfig}" for one in found]
    sys.stdout.write("\n".join(lines) + "\n")
    return OK


def kubeconfig(data: DataDir, name: str, *, path: bool) -> int:
    """Works while the platform is down too: the file is there."""
    found = home(data, name).kubeconfig
    sys.stdout.write(f"{found}\n" if path else found.read_text())
    return OK


def delete(data: DataDir, name: str) -> int:
    check_name(name)
    control.ask(data, "DELETE", f"/clusters/{name}")
    sys.stdout.write(f"deleted {name}\n")
    return OK


def _print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")

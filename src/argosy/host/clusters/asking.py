"""`argosy kube create|list|kubeconfig|delete|ingresses|hosts`: the verbs for this machine's embedded clusters."""

from __future__ import annotations

import re
import sys

import msgspec

from argosy.host.clusters import reaching
from argosy.host.clusters.home import check_name, home
from argosy.host.lifecycle.failures import OK
from argosy.host.paths import DataDir
from argosy.kit.errors import BadRequest

_PATTERN = re.compile(r"(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def create(data: DataDir, name: str, *, as_json: bool) -> int:
    check_name(name)
    made = msgspec.json.decode(reaching.ask(data, "PUT", f"/clusters/{name}"), type=reaching.ClusterState)
    if as_json:
        _print_json(made)
    else:
        sys.stdout.write(f"{made.name} answers at {made.url}\nexport KUBECONFIG={made.kubeconfig}\n")
    return OK


def list_(data: DataDir, *, as_json: bool) -> int:
    found = msgspec.json.decode(reaching.ask(data, "GET", "/clusters"), type=list[reaching.ClusterState])
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
    reaching.ask(data, "DELETE", f"/clusters/{name}")
    sys.stdout.write(f"deleted {name}\n")
    return OK


def ingresses(data: DataDir, *, as_json: bool) -> int:
    """What people can open, and what is behind it."""
    found = msgspec.json.decode(reaching.ask(data, "GET", "/ingresses"), type=list[reaching.Reached])
    if as_json:
        _print_json(found)
        return OK
    rows = [("CLUSTER", "NAMESPACE", "NAME", "SERVICE", "URL")]
    rows += [(one.cluster, one.namespace, one.name, f"{one.service}:{one.port}", one.url) for one in found]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        sys.stdout.write("  ".join([*cells, row[4]]) + "\n")
    return OK


def hosts(data: DataDir, name: str, patterns: list[str], *, default: bool, own_paths: bool | None) -> int:
    """Shows which host names the Ingresses of a cluster may take, after changing them if that was asked for."""
    check_name(name)
    settings = home(data, name).settings()
    if patterns or default or own_paths is not None:
        for pattern in patterns:
            _check_pattern(pattern)
        settings = msgspec.structs.replace(
            settings,
            hosts=None if default else patterns or settings.hosts,
            own_paths=settings.own_paths if own_paths is None else own_paths,
        )
        reaching.ask(
            data, "PUT", f"/clusters/{name}/taking", reaching.Taking(settings.hosts, settings.own_paths)
        )
    chosen = "*.localhost on loopback, else none" if settings.hosts is None else ", ".join(settings.hosts)
    sys.stdout.write(f"hosts: {chosen}\npaths of their own: {'yes' if settings.own_paths else 'no'}\n")
    return OK


def _check_pattern(pattern: str) -> None:
    if _PATTERN.fullmatch(pattern) is None:
        raise BadRequest(
            f"{pattern[:80]!r} is no host name",
            code="kube.host",
            cure="write shop.example.com, or *.example.com for every name under it, in lower case",
        )


def _print_json(found: object) -> None:
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(found)).decode() + "\n")

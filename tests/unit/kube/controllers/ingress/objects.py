"""Small Ingresses for the tests around them."""

from __future__ import annotations

from argosy.kube.objects import Object


def backend(service: str = "web", port: int | str = 80) -> Object:
    kind = "number" if isinstance(port, int) else "name"
    return {"service": {"name": service, "port": {kind: port}}}


def path(path: str = "/", kind: str = "Prefix", service: str = "web", port: int | str = 80) -> Object:
    return {"path": path, "pathType": kind, "backend": backend(service, port)}


def rule(*paths: Object, host: str = "") -> Object:
    return {**({"host": host} if host else {}), **({"http": {"paths": list(paths)}} if paths else {})}


def ingress(*rules: Object, name: str = "web", default: Object | None = None, **spec: object) -> Object:
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {
            **({"rules": list(rules)} if rules else {}),
            **({"defaultBackend": default} if default else {}),
            **spec,
        },
    }

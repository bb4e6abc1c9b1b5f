"""What the gateway is told of the Ingresses of embedded clusters, and how it asks for a pod behind one.

The process of the clusters answers on a socket of its own (`host.clusters.passage`): `GET /routes` is a stream of lines, each the
whole `Routes` as of now; any request under `/backends/<cluster>/<namespace>/<service>/<port>/` goes on to a pod. Each brings the
token that lies in the secrets. A failure that is the platform's own, and not the pod's, has the header `FAILED`: an `ErrorBody` in JSON,
percent-encoded, because not every answer has a body.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SECRET_FILE = "ingress-token"
TOKEN = "x-argosy-passage"
FAILED = "x-argosy-failed"
PATH = "/ingress"
"""Under which Ingresses are served that name no host: `/ingress/<cluster>/<namespace>/<name>/…`."""


class IngressRoute(msgspec.Struct, frozen=True):
    """`host` is empty for what is under `PATH`. `Default` is what nothing else of that host, or of that Ingress, covers."""

    cluster: str
    namespace: str
    ingress: str
    host: str
    path: str
    covers: Literal["Exact", "Prefix", "Default"]
    service: str
    port: str


class Routes(msgspec.Struct, frozen=True):
    routes: list[IngressRoute]

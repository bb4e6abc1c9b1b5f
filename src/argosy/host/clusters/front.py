"""What the clusters are told of the gateway before them: its URL, its names, and what their Ingresses may take by default.

Names under `localhost` mean this machine in every browser and nobody else's, so they are free for the taking where the gateway
listens on loopback and no proxy stands before it. All others, an operator allows: `argosy kube hosts`.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from argosy.host.options import UpOptions
from argosy.kube.controllers.ingress import Front

_LOOPBACK = ("127.", "::1", "localhost")
_HARMLESS = ("*.localhost",)


def front(options: UpOptions) -> Front:
    own = {urlsplit(options.url).hostname or "", options.host, "localhost"}
    local = options.host.startswith(_LOOPBACK) and not options.public_url
    return Front(options.url, frozenset(own), _HARMLESS if local else ())

"""The one client for any cluster, embedded or real: `client` has the verbs, `informer` keeps a copy of a kind.

`connecting` makes a client from a kubeconfig, from inside a pod, or for a cluster in the same process.
"""

from argosy.kube.client.client import Client, Listing, WatchEvent
from argosy.kube.client.connecting import (
    from_environment,
    from_kubeconfig,
    in_cluster,
    in_process,
    over_unix_socket,
)
from argosy.kube.client.informer import Informer
from argosy.kube.client.transport import Transport

__all__ = [
    "Client",
    "Informer",
    "Listing",
    "Transport",
    "WatchEvent",
    "from_environment",
    "from_kubeconfig",
    "in_cluster",
    "in_process",
    "over_unix_socket",
]

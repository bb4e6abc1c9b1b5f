"""Serves the Ingresses of a cluster by the gateway in front of it.

`wishes` reads what an Ingress asks for, `claims` decides over all clusters who has which host and path, `controller` writes
addresses and events, `backends` finds the pod behind a Service. `door` is where a cluster and its gateway meet: whoever runs the
cluster makes one, tells the gateway what is granted there, and asks it for pods.
"""

from argosy.kube.controllers.ingress.backends import Backend, NoBackend
from argosy.kube.controllers.ingress.claims import Claim, Claims
from argosy.kube.controllers.ingress.door import Door, Front, Taking

__all__ = ["Backend", "Claim", "Claims", "Door", "Front", "NoBackend", "Taking"]

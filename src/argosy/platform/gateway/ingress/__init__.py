"""Serves the Ingresses of embedded clusters: another trust domain behind our door.

`following` hears from the process of the clusters which routes there are, `table` says whose a request is, `crossing` what of its head
passes either way, `passing` carries it. Under a host of its own an Ingress is another origin and open to everybody; under our
own name it is for who is signed in, and what it answers can do nothing there (docs/adr/0008-ingress.md).
"""

from argosy.platform.gateway.ingress.following import Followed
from argosy.platform.gateway.ingress.passing import PassedOn, Passing

__all__ = ["Followed", "PassedOn", "Passing"]

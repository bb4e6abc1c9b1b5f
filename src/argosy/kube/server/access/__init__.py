"""Who may do what in one cluster: certificates and tokens, authentication, RBAC, reviews. Start reading at `access`."""

from argosy.kube.server.access.access import Access
from argosy.kube.server.access.aggregation import aggregated_rules
from argosy.kube.server.access.authority import Authority
from argosy.kube.server.access.bootstrap import bootstrap
from argosy.kube.server.access.claims import legacy_claims
from argosy.kube.server.access.vocabulary import Attributes, Reader, User

__all__ = [
    "Access",
    "Attributes",
    "Authority",
    "Reader",
    "User",
    "aggregated_rules",
    "bootstrap",
    "legacy_claims",
]

"""Custom resources: what a CRD may say (`crd_rules`), what becomes of it (`lifecycle`), and how its objects are read, filled in and
checked (`serving` puts `fitting`, `defaulting`, `custom_rules` and the rest together for the registry)."""

from argosy.kube.server.crds.crd_rules import rules_for_crds
from argosy.kube.server.crds.definition import COLLECTION
from argosy.kube.server.crds.lifecycle import Crds

__all__ = ["COLLECTION", "Crds", "rules_for_crds"]

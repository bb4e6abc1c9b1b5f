"""Kustomize, in this process; see `building`."""

from argosy.manifests.kustomize.building import VERSION, Options, build
from argosy.manifests.kustomize.edits import Edits

__all__ = ["VERSION", "Edits", "Options", "build"]

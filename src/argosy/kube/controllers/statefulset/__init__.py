"""StatefulSets: pods with names that stay, in order, each with volumes of its own.

`planning` decides which pods are made and deleted next, `identity` what each looks like, `volume_claims` whose volumes live how long;
`controller` does it.
"""

from argosy.kube.controllers.statefulset.controller import make

__all__ = ["make"]

"""Deployments: one ReplicaSet for each template that was rolled out, and the way from one to the next.

`controller` looks at a Deployment, `sizes` decides how large its ReplicaSets shall be, `revisions` which template is whose,
`progress` what the status says.
"""

from argosy.kube.controllers.deployment.controller import make

__all__ = ["make"]

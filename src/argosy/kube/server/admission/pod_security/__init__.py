"""The Pod Security Standards that a namespace asks for in its labels: refused where it enforces, warned of where it warns.

`levels` reads the labels, `checks` says what each level forbids in which version, `baseline` and `restricted` look.
"""

from argosy.kube.server.admission.pod_security.plugin import check

__all__ = ["check"]

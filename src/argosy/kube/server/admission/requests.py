"""A certificate request says who asked, in words of the server's own."""

from __future__ import annotations

from argosy.kube.server.admission.write import Write

_PARTS = ("username", "uid", "groups", "extra")


def admit(write: Write) -> None:
    if not write.creates("certificatesigningrequests.certificates.k8s.io"):
        return
    user, spec = write.user, write.obj.setdefault("spec", {})
    extra = {name: list(values) for name, values in user.extra.items()}
    said = {"username": user.name, "uid": user.uid, "groups": list(user.groups), "extra": extra}
    for part in _PARTS:
        spec.pop(part, None)
    spec.update({part: value for part, value in said.items() if value})

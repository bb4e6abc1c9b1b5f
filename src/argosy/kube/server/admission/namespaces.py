"""Nothing is made where there is no namespace, or in one that is going; and some namespaces never go."""

from __future__ import annotations

from argosy.kube.errors import Cause, not_found
from argosy.kube.server.admission.write import Write

_IMMORTAL = {"default", "kube-system", "kube-public"}
_ANYWHERE = {"localsubjectaccessreviews.authorization.k8s.io", "subjectaccessreviews.authorization.k8s.io"}


def admit(write: Write) -> None:
    if write.resource.group_resource == "namespaces":
        if write.operation == "DELETE" and write.name in _IMMORTAL:
            raise write.forbidden("this namespace may not be deleted")
        return
    if write.operation != "CREATE" or not write.resource.namespaced or write.subresource:
        return
    if write.resource.group_resource in _ANYWHERE:
        return
    namespace = write.reader.get("namespaces", "", write.namespace)
    if namespace is None:
        raise not_found("namespaces", write.namespace)
    if namespace["metadata"].get("deletionTimestamp"):
        error = write.forbidden(
            f"unable to create new content in namespace {write.namespace} because it is being terminated"
        )
        why = f"namespace {write.namespace} is being terminated"
        error.causes = (Cause("NamespaceTerminating", why, "metadata.namespace"),)
        raise error

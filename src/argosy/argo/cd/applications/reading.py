"""An Application as the API server has it, made into types."""

from __future__ import annotations

import msgspec

from argosy.contracts.argo.application import Application, Spec
from argosy.contracts.argo.source import Source
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.types import Kind

APPLICATION = Kind("argoproj.io", "v1alpha1", "Application")
FINALIZER = "resources-finalizer.argocd.argoproj.io"
REFRESH, REFRESHED_AT = "argocd.argoproj.io/refresh", "argocd.argoproj.io/refresh-timestamp"
SKIP = "argocd.argoproj.io/skip-reconcile"
APPROVED = "argocd.argoproj.io/deletion-approved"


class NotReadable(Exception):
    """The object is no Application; says where it is not."""


def read(obj: Object) -> Application:
    try:
        return msgspec.convert(_without_nothing(obj), Application)
    except msgspec.ValidationError as error:
        raise NotReadable(str(error).replace("`$.", "`")) from None


def instance_name(obj: Object, control_namespace: str) -> str:
    """By which its objects are marked: unique in the installation."""
    namespace = namespace_of(obj)
    return name_of(obj) if namespace == control_namespace else f"{namespace}_{name_of(obj)}"


def sources_of(spec: Spec) -> list[Source]:
    """Several win over one."""
    return list(spec.sources) if spec.sources else [spec.source] if spec.source is not None else []


def project_of(spec: Spec) -> str:
    return spec.project or "default"


def _without_nothing(value: object) -> object:
    """A null says nothing."""
    if isinstance(value, dict):
        return {name: _without_nothing(one) for name, one in value.items() if one is not None}
    return [_without_nothing(one) for one in value] if isinstance(value, list) else value

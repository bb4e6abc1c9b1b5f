"""The application that is being looked at: as the API server has it, as types, and by its names."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.argo.cd.applications.reading import instance_name, read
from argosy.contracts.argo.application import Application
from argosy.contracts.argo.status import Status
from argosy.kube.objects import Object, name_of, namespace_of


@dataclass(frozen=True, slots=True)
class Subject:
    object: Object
    app: Application
    instance: str

    @classmethod
    def of(cls, obj: Object, control_namespace: str) -> Subject:
        """Raises `NotReadable`."""
        return cls(obj, read(obj), instance_name(obj, control_namespace))

    @property
    def name(self) -> str:
        return name_of(self.object)

    @property
    def namespace(self) -> str:
        return namespace_of(self.object)

    @property
    def status(self) -> Status:
        return self.app.status if self.app.status is not None else Status()

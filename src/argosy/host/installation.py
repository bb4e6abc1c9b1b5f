"""Where the parts of one installation find each other: databases, sockets or URLs, settings, secrets.

The defaults are one machine: Unix sockets and the embedded PostgreSQL. `ARGOSY_<SERVICE>_URL`,
`ARGOSY_<SERVICE>_DATABASE_URL` and the settings file replace them one by one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from argosy.host.paths import DataDir
from argosy.host.postgres import passwords, roles
from argosy.host.registry import NAMES, group_of, load
from argosy.kit import settings, yaml
from argosy.kit.errors import BadRequest

if TYPE_CHECKING:
    from argosy.backends.hosting import Service


@dataclass(frozen=True, slots=True)
class Installation:
    data: DataDir
    overrides: Mapping[str, Mapping[str, settings.Raw]] = field(default_factory=dict)  # what `up` was told
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    def endpoint(self, service: str) -> str:
        """`unix:/path` or a URL: where the process that hosts `service` listens for the other parts."""
        url = self.environ.get(f"ARGOSY_{service.upper()}_URL", "")
        return url.rstrip("/") or f"unix:{self.data.socket(group_of(service))}"

    def dsn(self, service: str) -> str:
        return roles.dsn(self.data, service)

    def events_dsn(self, producer: str) -> str:
        """The reader's way into a producer's outbox; on a server of its own it is the producer's own way."""
        return roles.own_server(producer) or roles.local_dsn(self.data, passwords.EVENTS)

    def settings_for(self, service: Service) -> msgspec.Struct:
        file = self._file()
        merged = {
            **file,
            service.name: {**file.get(service.name, {}), **self.overrides.get(service.name, {})},
        }
        return settings.load(service.settings, service.name, file=merged, environ=self.environ)

    def check_settings(self) -> None:
        """Before anything answers: each service's own settings, and no section that nobody reads."""
        if unknown := sorted(set(self._file()) - {*NAMES, "up"}):
            raise BadRequest(
                f"settings: there is no section {unknown[0]!r}",
                code="settings.unknown",
                cure=f"sections: up, {', '.join(NAMES)}",
                context={"where": str(self.data.settings)},
            )
        for service in load(NAMES):
            self.settings_for(service)

    def _file(self) -> dict[str, dict[str, settings.Raw]]:
        if not self.data.settings.exists():
            return {}
        try:
            found = yaml.load(self.data.settings.read_bytes(), what=str(self.data.settings))
            return msgspec.convert(found or {}, dict[str, dict[str, settings.Raw]])
        except msgspec.ValidationError as error:
            raise BadRequest(
                f"{self.data.settings}: {error}",
                code="settings.shape",
                cure="one mapping per section, plain values",
            ) from error

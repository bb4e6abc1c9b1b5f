"""Identity as a service: what it needs, and how its parts come together."""

from __future__ import annotations

from functools import partial
from typing import cast

from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.identity import Identity
from argosy.platform.identity.api import Api
from argosy.platform.identity.guard import Guard
from argosy.platform.identity.housekeeping import keep_house
from argosy.platform.identity.issuer import Issuer
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.passwords import Passwords
from argosy.platform.identity.revocations import Revocations
from argosy.platform.identity.settings import IdentitySettings
from argosy.platform.identity.touches import Touches


def parts_of(resources: Resources) -> Parts:
    settings = cast(IdentitySettings, resources.settings)
    return Parts(
        settings=settings,
        database=resources.database,
        outbox=resources.outbox,
        recorder=resources.recorder,
        clock=resources.clock,
        passwords=Passwords(settings),
        guard=Guard(resources.database, resources.clock),
        issuer=Issuer(resources.secrets, seconds=settings.token_seconds),
        revocations=Revocations(resources.database, resources.outbox),
        touches=Touches(resources.database, resources.clock),
    )


async def build(resources: Resources) -> Running:
    parts = parts_of(resources)
    api: Identity = Api(parts)
    return Running(
        api=api,
        background=(parts.touches.run, partial(keep_house, parts)),
        stopping=parts.revocations.end_all,
    )


SERVICE = Service(
    name="identity",
    contract=Identity,
    build=build,
    settings=IdentitySettings,
    migrations="argosy.platform.identity.migrations",
)

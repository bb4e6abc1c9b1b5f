"""Wiring of audit: the sealer and retention's tick as consumers; anchoring, retention and its schedule as loops."""

from __future__ import annotations

from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.audit import RECORDED, Audit, AuditSettings
from argosy.contracts.cron import TICKED
from argosy.platform.audit.anchoring import Anchoring
from argosy.platform.audit.anchors import Anchors
from argosy.platform.audit.api import Api
from argosy.platform.audit.following import Following
from argosy.platform.audit.retention import Retention, keep_schedule
from argosy.platform.audit.sealer import sealing
from argosy.platform.audit.signing import Signer
from argosy.platform.audit.store import Store
from argosy.platform.audit.verification import Verifying


async def build(resources: Resources) -> Running:
    assert isinstance(resources.settings, AuditSettings)
    defaults, database, clock = resources.settings, resources.database, resources.clock
    store, signer, anchors = Store(database), Signer(resources.secrets), Anchors(resources.anchors)
    anchoring, following = Anchoring(store, anchors, signer, clock), Following(store, database)
    verifying = Verifying(store, anchors, signer, clock)
    retention = Retention(store, signer, verifying, resources.recorder, database, defaults, clock)

    def sealed(accounts: set[str]) -> None:
        anchoring.wake()
        following.announce(accounts)

    return Running(
        api=Api(store, database, resources.recorder, verifying, following, defaults, clock),
        consumers=(sealing(store, clock, sealed), retention.consumer()),
        background=(anchoring.run, retention.run, lambda: keep_schedule(resources.clients)),
        stopping=following.stop,
    )


SERVICE = Service(
    name="audit",
    contract=Audit,
    build=build,
    depends_on=("cron",),
    consumes=(RECORDED, TICKED),
    settings=AuditSettings,
    migrations="argosy.platform.audit.migrations",
)

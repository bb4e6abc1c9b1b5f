"""Keeps the certificates of a running cluster valid: `running` has it done at start and for as long as the cluster runs.

New connections get the new serving certificate, those that are open go on. The administrator's certificate stands in the
kubeconfig, whose file then has the new one; copies that people made are good until theirs ends.
"""

from __future__ import annotations

import asyncio

from argosy.host.clusters.home import Home
from argosy.kit.log import get_logger
from argosy.kube.server.access import Authority

log = get_logger(__name__)
_LOOK_SECONDS = 3600.0
"""Often, because this clock stands still while the machine sleeps."""


async def keep_valid(home: Home, authority: Authority, url: str) -> None:
    """Until cancelled."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        renew(home, authority, url)


def renew(home: Home, authority: Authority, url: str) -> None:
    """What ends within a month; most days nothing."""
    if authority.renew():
        log.info("cluster.certificate_renewed", cluster=home.name)
    current = authority.kubeconfig(cluster=home.name, url=url)
    if not home.kubeconfig.exists() or home.kubeconfig.read_text() != current:
        home.write_kubeconfig(current)

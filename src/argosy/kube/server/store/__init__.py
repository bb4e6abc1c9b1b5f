"""The objects of one cluster: bytes in memory, changes on the disk, a history to watch; see `store`."""

from argosy.kube.server.store.snapshot import Snapshot
from argosy.kube.server.store.states import Change, Stored
from argosy.kube.server.store.store import Store
from argosy.kube.server.store.watch import Watch

__all__ = ["Change", "Snapshot", "Store", "Stored", "Watch"]

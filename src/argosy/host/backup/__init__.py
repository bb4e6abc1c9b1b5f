"""One installation in one file, back again, and an upgrade tried on a copy.

`argosy backup`, `restore` and `upgrade --rehearse` call these three. `archive` and `manifest` are the file's
form, `dump` moves the database, `taking`, `restoring` and `rehearsal` are the three stories, `staging` swaps a
finished restore in. A start calls `finish_interrupted` to end a restore that a crash cut short.
"""

from argosy.host.backup.manifest import Manifest
from argosy.host.backup.rehearsal import Rehearsal, RehearsalFailed, rehearse_upgrade
from argosy.host.backup.restoring import preview, restore
from argosy.host.backup.staging import finish_interrupted
from argosy.host.backup.taking import backup

__all__ = [
    "Manifest",
    "Rehearsal",
    "RehearsalFailed",
    "backup",
    "finish_interrupted",
    "preview",
    "rehearse_upgrade",
    "restore",
]

"""What every loop over a cluster is made of: copies of kinds, a queue of names, a worker, events that tell people.

`controllers` and `nodes` are built with it. A loop is level-based: it is told that something about a name may have changed,
looks at the copies, and does what is missing. `workplace` is what it works with, `loop` what calls it.
"""

from argosy.kube.reconcile.copies import Copies, Copy
from argosy.kube.reconcile.events import Events
from argosy.kube.reconcile.loop import Loop
from argosy.kube.reconcile.queue import Name
from argosy.kube.reconcile.workplace import Workplace

__all__ = ["Copies", "Copy", "Events", "Loop", "Name", "Workplace"]

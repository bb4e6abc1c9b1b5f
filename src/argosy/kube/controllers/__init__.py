"""What gives a cluster life: each controller keeps one promise of the API, by the API alone.

`running` starts them; a controller is a module or package of this one, with a `make` that answers its `Loop`. They work on our own API
server as on any other, so an oracle tells whether they are right.
"""

from argosy.kube.controllers.running import NAMES, run

__all__ = ["NAMES", "run"]

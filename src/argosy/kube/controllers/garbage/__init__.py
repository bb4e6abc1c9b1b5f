"""The garbage collector: what an owner leaves behind goes with it, before it, or stays as an orphan.

`graph` knows who owns what, `decisions` says what is to be done with an object (both pure), `following` keeps the graph true,
`collector` does it.
"""

from argosy.kube.controllers.garbage.collector import Collector

__all__ = ["Collector"]

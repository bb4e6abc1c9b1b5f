"""Nodes that run nothing: their pods live a believable life.

`wishes` reads what a pod's annotations and images ask for, `life` moves its containers through their states, `status` shows that as
a kubelet would, `simulated_node` writes it.
"""

from argosy.kube.nodes.simulation.simulated_node import SimulatedNode

__all__ = ["SimulatedNode"]

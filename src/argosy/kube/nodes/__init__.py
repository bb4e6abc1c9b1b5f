"""What runs pods: a scheduler that gives each a node, and nodes that bring it to life.

`node` says what a node is; today there are simulated ones (`simulation`), which run nothing and look as if they did. `fleet`
registers them, hands them their pods and answers the API server's questions about them.
"""

from argosy.kube.nodes.fleet import SimulatedNodes
from argosy.kube.nodes.node import Node

__all__ = ["Node", "SimulatedNodes"]

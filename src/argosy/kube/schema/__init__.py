"""What a value may look like; see `node`."""

from argosy.kube.schema.builtin import struct
from argosy.kube.schema.node import List, Map, Member, Node, Scalar, Struct, Untyped

__all__ = ["List", "Map", "Member", "Node", "Scalar", "Struct", "Untyped", "struct"]

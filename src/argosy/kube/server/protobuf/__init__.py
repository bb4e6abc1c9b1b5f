"""Bodies that typed Go clients send: protobuf, read with the numbers of the type table into the JSON form. See `messages`."""

from argosy.kube.server.protobuf.envelope import PREFIX, from_protobuf

__all__ = ["PREFIX", "from_protobuf"]

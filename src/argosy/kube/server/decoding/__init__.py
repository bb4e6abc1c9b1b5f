"""From the bytes of a request to an object as the API server would hold it: `text` reads, `typed` checks."""

from argosy.kube.server.decoding.typed import Decoded, decode, fill, forget_empties

__all__ = ["Decoded", "decode", "fill", "forget_empties"]

"""Entries bound to all before them by a hash, and the search for the first one that was tampered with. Pure.

`platform/audit` seals with it and verifies with it; signed heads, kept outside its database, are given to it as
plain numbers and hashes.
"""

from argosy.domain.chain.seal import GENESIS, Head, Link, link_hash, seal
from argosy.domain.chain.verify import Fault, Verifier

__all__ = ["GENESIS", "Fault", "Head", "Link", "Verifier", "link_hash", "seal"]

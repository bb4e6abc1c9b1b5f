"""Takes the network and the way to more privileges from the process that calls it, as far as the kernel lets it.

Where it does not (no user namespaces), rendering goes on with what remains: nothing that we run asks for the network, and `argosy doctor` says
how it stands.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38


def confine() -> bool:
    """Whether the network is gone. Dies with its parent in any case."""
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if os.geteuid() == 0:
        return bool(libc.unshare(_NEW_NETWORK) == 0)
    return bool(libc.unshare(_NEW_USER | _NEW_NETWORK) == 0)

"""What only Linux's prctl can do: a name for `ps` and `top`, and a signal when the parent dies.

`spawn` calls it in each child. Elsewhere both are without effect, and `leftovers` cleans up at the next start.
"""

from __future__ import annotations

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_LIBC = ctypes.CDLL(None, use_errno=True)


def set_name(name: str) -> None:
    if sys.platform == "linux":
        _LIBC.prctl(_PR_SET_NAME, name.encode()[:15], 0, 0, 0)


def die_with_parent(parent: int, death_signal: int) -> None:
    """Ask for `death_signal` when the parent dies; end at once if it died before the question. A change of
    user forgets the request, so it is made after one."""
    if sys.platform == "linux":
        if _LIBC.prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
        if os.getppid() != parent:
            os._exit(1)


def give_back_memory() -> None:
    """Free pages that importing left behind go back to the system before they are shared by every child."""
    if sys.platform == "linux" and hasattr(_LIBC, "malloc_trim"):
        _LIBC.malloc_trim(0)

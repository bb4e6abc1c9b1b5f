"""Takes from the process that calls it what a renderer does not need: the network, a way to more privileges, and writing outside one folder.

As far as the kernel lets it. Where it does not (no namespaces for this user, no Landlock), rendering goes on with what remains: nothing that we
run asks for the network, and `argosy doctor` says how it stands (`confined`).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_VERSION_PLEASE, _BELOW_A_PATH = 1, 1
_WRITING = 0b1 << 1 | 0b1_1111_1111 << 4  # write a file; remove and make anything
_REFER, _TRUNCATE = 1 << 13, 1 << 14  # since versions 2 and 3
_WRITE_ONLY = 1 << 1
_TCP = 0b11  # bind, connect: since version 4


@dataclass(frozen=True, slots=True)
class Confined:
    network: bool
    """Nobody can be reached."""
    writing: bool
    """Only the folder can be written to."""


def confine(folder: Path) -> Confined:
    """For the process and whatever it starts, for ever. Dies with its parent in any case."""
    if sys.platform != "linux":
        return Confined(network=False, writing=False)
    die_with_parent()
    libc = _libc()
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    apart = _NEW_NETWORK if os.geteuid() == 0 else _NEW_USER | _NEW_NETWORK
    network = bool(libc.unshare(apart) == 0)
    version = int(libc.syscall(_LANDLOCK_CREATE, None, 0, _VERSION_PLEASE))
    writing = version > 0 and _restrict(libc, version, folder)
    return Confined(network or (writing and version >= 4), writing)


def die_with_parent() -> None:
    if sys.platform == "linux":
        _libc().prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _restrict(libc: ctypes.CDLL, version: int, folder: Path) -> bool:
    files = _WRITING | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    asked = struct.pack("QQ", files, _TCP) if version >= 4 else struct.pack("Q", files)
    rules = int(libc.syscall(_LANDLOCK_CREATE, asked, len(asked), 0))
    if rules < 0:
        return False
    try:
        _allow(libc, rules, folder, files)
        with contextlib.suppress(OSError):
            _allow(libc, rules, Path(os.devnull), _WRITE_ONLY)
        return bool(libc.syscall(_LANDLOCK_RESTRICT, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: Path, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        below = struct.pack("=Qi", access, descriptor)
        if libc.syscall(_LANDLOCK_ADD, rules, _BELOW_A_PATH, below, 0) != 0:
            raise OSError(ctypes.get_errno(), "the kernel refuses a rule")
    finally:
        os.close(descriptor)


def confined() -> Confined:
    """How it would stand with a worker, tried in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        code = (
            f"from {__name__} import *; c = confine(Path({folder!r})); print(int(c.network), int(c.writing))"
        )
        told = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
        )
    words = told.stdout.split()
    return Confined(words[:1] == ["1"], words[1:2] == ["1"])

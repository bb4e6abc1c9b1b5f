"""How jobs and answers stand in a stream: their length, and then they themselves."""

from __future__ import annotations

import struct

LENGTH = struct.Struct(">I")
READY = LENGTH.pack(0)
"""What a worker says first: whoever waits for an answer does not wait for the start."""

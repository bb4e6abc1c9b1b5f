"""How jobs and answers stand in a stream: their length, and then they themselves."""

from __future__ import annotations

import struct

LENGTH = struct.Struct(">I")

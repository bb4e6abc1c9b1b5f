"""What the platform decides, as pure functions over plain data: no I/O, no clock, no randomness."""

"""Processes that render: few, without a network, and killed when they take too long. `pool` gives them work, `process` is what they do."""

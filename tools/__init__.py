"""What a developer's verbs do: one module per verb of the Makefile, run as `python -m tools.<verb>`.

`setup` and what it imports (`bootstrap`, `steps`, `stamps`) use the standard library only, because they
run before anything is installed.
"""

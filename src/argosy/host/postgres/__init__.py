"""PostgreSQL as a part of the installation: found, created, guarded, run and laid out by us.

Only the binaries of the wheel are used, never its Python API (it trusts everyone). Read in this order:
`binaries` and `owner` (what is run, and as whom), `location` (where), `cluster` (initdb and settings),
`orphans` (what a crash left behind), `process` (the supervisor's `Command`), `roles` (databases, roles, DSNs).
"""

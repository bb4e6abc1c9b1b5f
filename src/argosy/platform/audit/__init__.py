"""The audit log: `sealer` takes entries in, `anchoring` signs heads outside the database, `verification` checks.

`contracts/audit.py` says what the outside sees, `domain.chain` why a change cannot hide.
"""

"""The built-in Git server. `contracts/git_server.py` says what it promises; git itself does the work (`kit.git`).

A request of git comes in by `serving`, is judged by `rights`, and is answered by `fetching` or `pushing`. How a push becomes an event that
is never lost stands in `announcing`; `api` answers everything that is not git's; `upkeep` packs and clears.
"""

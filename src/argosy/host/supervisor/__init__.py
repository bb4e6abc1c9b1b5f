"""Keeps the processes of one installation running: one thread, one selector, no event loop.

`lifecycle.up` calls it. `supervisor` is the story; `order` and `restarts` decide (pure), `spawn` forks,
`logs` writes what children say, `control` answers `argosy status` and `argosy down`.
It stays free of asyncio and threads because every Python process of the platform is forked from it.
"""

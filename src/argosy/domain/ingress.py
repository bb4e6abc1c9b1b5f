"""What a host and a path of an Ingress mean: which requests they cover, and which host names a cluster may take.

Pure. The controllers decide with it whose claim a host and a path are, the gateway whose request it is.
"""

from __future__ import annotations

from collections.abc import Collection

Elements = tuple[str, ...]


def elements(path: str) -> Elements:
    """`/a/b/` and `/a/b` are `(a, b)`: a prefix covers whole elements, never half of one."""
    inner = path.removeprefix("/").removesuffix("/")
    return tuple(inner.split("/")) if inner else ()


def parent(host: str) -> str:
    """What a wildcard for `host` is called: it stands for exactly one label."""
    return "*." + host.partition(".")[2]


def may_take(host: str, patterns: Collection[str]) -> bool:
    """`*.localhost` lets a cluster take every name under it, however deep, wildcards included; other patterns are names."""
    return any(_covers(pattern, host) for pattern in patterns)


def _covers(pattern: str, host: str) -> bool:
    if pattern == host:
        return True
    return pattern.startswith("*.") and host.removeprefix("*.").endswith(pattern[1:])

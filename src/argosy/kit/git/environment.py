"""The surroundings in which Git runs: nothing of this machine's or this user's configuration, nothing that runs a program.

Settings travel in `GIT_CONFIG_KEY_<n>`, which Git ranks above every file, a repository's own `config` included. Attributes and filters
of a repository never act, because nothing is ever checked out: files are read as objects.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_NOWHERE: Final = "/nonexistent"
_FROM_OUTSIDE: Final = (
    "PATH", "TMPDIR", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
)  # fmt: skip

_ALWAYS: Final[Mapping[str, str]] = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.gitProxy": "",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "core.logAllRefUpdates": "false",
    "protocol.allow": "never",
    "protocol.version": "2",
    "credential.helper": "",
    "credential.interactive": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "30",
    "http.followRedirects": "initial",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.writeCommitGraph": "false",
    "transfer.bundleURI": "false",
    "transfer.advertiseSID": "false",
    "pack.threads": "2",
    "pack.windowMemory": "64m",
    "core.bigFileThreshold": "32m",
    "diff.external": "",
    "log.showSignature": "false",
}


def environment(
    *,
    protocols: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
    variables: Mapping[str, str] | None = None,
    repository: Path | None = None,
) -> dict[str, str]:
    """`protocols`: what this one command may speak. `repository`: ours, whoever owns its files on disk."""
    chosen = {**_ALWAYS, **{f"protocol.{name}.allow": "always" for name in protocols}, **(settings or {})}
    if repository is not None:
        chosen["safe.directory"] = str(repository)
    env = {name: os.environ[name] for name in _FROM_OUTSIDE if name in os.environ}
    env |= {
        "HOME": _NOWHERE,  # no ~/.netrc, no ~/.gitconfig, no ~/.ssh
        "XDG_CONFIG_HOME": _NOWHERE,
        "LC_ALL": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "/dev/null",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "false",
        "SSH_ASKPASS": "false",
        "GIT_SSH_COMMAND": "false",
        "GIT_ALLOW_PROTOCOL": ":".join(protocols) or "none",
        "GIT_PROTOCOL_FROM_USER": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_CONFIG_COUNT": str(len(chosen)),
    }
    for number, (key, value) in enumerate(chosen.items()):
        env[f"GIT_CONFIG_KEY_{number}"] = key
        env[f"GIT_CONFIG_VALUE_{number}"] = value
    return env | dict(variables or {})

"""What an operator can set about the Git server. `argosy up` fills the URL."""

from __future__ import annotations

import msgspec


class GitServerSettings(msgspec.Struct, frozen=True):
    public_url: str = ""  # how people reach the platform; clone URLs begin with it
    push_limit_mb: int = 512  # what one push may bring
    size_limit_mb: int = 4096  # what one repository may take on disk
    account_limit_mb: int = 20480  # what the repositories of one account may take together
    file_limit_mb: int = 64  # what is shown of a file over the API
    transfer_seconds: float = 1800.0  # one clone or push
    at_once: int = 16  # transfers
    pack_after: int = 25  # pushes
    engine_socket: str = ""  # where an engine on this machine hears of pushes at once
    engine_token: str = ""  # the file with what it wants to be shown

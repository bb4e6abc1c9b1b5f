"""Why a Git command failed, in words for people: what is wrong, and what to do. Made from what Git itself says on stderr.

Git's exit codes tell little (128 is nearly everything), its messages are stable enough to be told apart; they are asked for in English
(`LC_ALL=C`). Everything said passes the mask for secrets, and an address is shown without user and password.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import ClassVar, Final

from argosy.kit.errors import ArgosyError
from argosy.kit.log import mask_text


class Failure(StrEnum):
    """The stable codes."""

    ADDRESS = "git.address"
    NAME = "git.name"
    REFUSED = "git.refused"
    AUTHENTICATION = "git.authentication"
    NOT_FOUND = "git.not_found"
    UNKNOWN_REVISION = "git.unknown_revision"
    MISSING_PATH = "git.missing_path"
    UNREACHABLE = "git.unreachable"
    HOST_KEY = "git.host_key"
    TLS = "git.tls"
    TOO_LARGE = "git.too_large"
    DEADLINE = "git.deadline"
    DAMAGED = "git.damaged"
    NO_SPACE = "git.no_space"
    PROGRAM = "git.program"
    OTHER = "git.failed"


class GitFailed(ArgosyError):
    status: ClassVar[int] = 502
    default_code: ClassVar[str] = Failure.OTHER


_Rule = tuple[Failure, re.Pattern[str], str, str]


def _rule(code: Failure, pattern: str, message: str, cure: str) -> _Rule:
    return code, re.compile(pattern, re.IGNORECASE), message, cure


# In this order: what is more special stands above what may be said beside it.
_RULES: Final[tuple[_Rule, ...]] = (
    _rule(
        Failure.TOO_LARGE,
        r"file too large|pack exceeds maximum allowed size",
        "{where} is larger than what is fetched",
        "raise the limit, or keep large files elsewhere",
    ),
    _rule(
        Failure.HOST_KEY,
        r"host key verification failed|remote host identification has changed|no .* host key is known",
        "the SSH host key of {where} is not the one that is known",
        "add the server's key to the known hosts, after comparing its fingerprint",
    ),
    _rule(
        Failure.TLS,
        r"certificate|SSL_|SSL connect|gnutls|schannel|unable to set private key",
        "the TLS connection to {where} is not trusted",
        "give the certificate authority that signed the server's certificate",
    ),
    _rule(
        Failure.REFUSED,
        r"transport '.*' not allowed|protocol '.*' is not supported|remote helper|is not a git command",
        "{where} uses a protocol that is not allowed here",
        "use https:// or ssh://",
    ),
    _rule(
        Failure.AUTHENTICATION,
        r"authentication failed|could not read (username|password)|permission denied \(|invalid credentials"
        r"|returned error: 40[13]|access denied|invalid username or password|load key .*: (error|invalid)",
        "{where} refuses the credentials",
        "check user name, token or key, and that they may read this repository",
    ),
    _rule(
        Failure.NOT_FOUND,
        r"repository .*not found|returned error: 404|does not appear to be a git repository|no such repository"
        r"|project you were looking for could not be found|not valid: is this a git repository",
        "there is no repository at {where}, or these credentials may not see it",
        "check the address and the credentials",
    ),
    _rule(
        Failure.UNREACHABLE,
        r"could not resolve (host|proxy)|failed to connect|connection (refused|timed out|reset)|timed out"
        r"|network is unreachable|no route to host|name or service not known|operation too slow"
        r"|temporary failure in name resolution|returned error: 5\d\d|couldn't connect|could not resolve hostname"
        r"|the remote end hung up|early eof|empty reply|unexpected disconnect|recv failure|from proxy",
        "{where} cannot be reached",
        "check the host's name, the network and the proxy, and whether the server is up",
    ),
    _rule(
        Failure.NO_SPACE,
        r"no space left on device|disk quota exceeded",
        "the disk is full",
        "free some space in the data directory",
    ),
    _rule(
        Failure.UNKNOWN_REVISION,
        r"couldn't find remote ref|not our ref|needed a single revision|unknown revision|bad revision"
        r"|bad object|not a valid object name|unadvertised object|does not exist in|not a tree object"
        r"|invalid object name|ambiguous argument|short object id .* is ambiguous|not a commit",
        "{where} has no such branch, tag or commit",
        "check the revision; after a force push its commits may be gone",
    ),
    _rule(
        Failure.DAMAGED,
        r"loose object .* (corrupt|is)|object file .* is empty|packfile .* (cannot|does not|is)|bad (pack|index)"
        r"|index file corrupt|inflate|not a git repository|bad config|unable to read tree|missing (blob|tree|commit)"
        r"|is corrupt|sha1 mismatch|broken link|reference broken|unresolved deltas|bad tree object",
        "the local copy of {where} is damaged",
        "it is fetched anew by itself; if this comes back, check the disk",
    ),
)


def explain(said: str, *, where: str, code: int) -> GitFailed:
    """`where` is the address as it may be shown."""
    for failure, pattern, message, cure in _RULES:
        if pattern.search(said):
            return GitFailed(message.format(where=where), code=failure, cure=cure, detail=last_words(said))
    return GitFailed(
        f"git failed for {where} (exit code {code})",
        code=Failure.OTHER,
        cure="the details say what git itself says",
        detail=last_words(said),
    )


def last_words(said: str) -> str:
    """The last lines that Git wrote, without progress, prefixes and secrets."""
    lines = [line.strip() for line in re.split(r"[\r\n]+", said)]
    telling = [line for line in lines if line and not _PROGRESS.match(line) and not line.startswith("hint:")]
    return mask_text(" · ".join(telling[-3:]))[-500:]


_PROGRESS = re.compile(r"(remote: )?(Enumerating|Counting|Compressing|Receiving|Resolving|Updating|Total) ")

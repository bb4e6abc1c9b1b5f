"""Git, by its own command line behind one hardened runner (`running`): mirrors of repositories elsewhere, and reading what is in them.

`addresses` and `remotes` say where a repository is and how to get in; `mirror` keeps a bare copy; `tree` shows one commit's files to a renderer;
`objects`, `listing` and `history` answer an event loop. The Git server stands on the same runner.
"""

from argosy.kit.git.addresses import Address, local, parse
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.mirror import Mirror
from argosy.kit.git.reading import Entry, Reader
from argosy.kit.git.refs import Refs
from argosy.kit.git.remotes import Login, Remote
from argosy.kit.git.tree import GitTree

__all__ = [
    "Address",
    "Entry",
    "Failure",
    "GitFailed",
    "GitTree",
    "Login",
    "Mirror",
    "Reader",
    "Refs",
    "Remote",
    "local",
    "parse",
]

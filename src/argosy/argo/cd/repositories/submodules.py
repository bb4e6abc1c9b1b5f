"""Brings the submodules that a rendering turned out to read: from the same host, or from where somebody gave credentials for.

Their addresses were written by whoever can write to the repository. `manifests.places` says which one is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from argosy.argo.cd.repositories.credentials import Credentials
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.kit.git.addresses import Address, parse
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.submodules import submodules
from argosy.manifests.places import Place

_DEEPEST = 5


class Submodules:
    def __init__(self, git: GitRepositories, credentials: Credentials) -> None:
        self._git, self._credentials = git, credentials

    async def added(self, place: Place, url: str, project: str, chain: Sequence[str]) -> Place:
        """The place with one more submodule in it. Raises `GitFailed`."""
        if len(chain) > _DEEPEST:
            raise GitFailed(
                f"{' → '.join(chain)}: submodules are nested deeper than {_DEEPEST} times",
                code=Failure.REFUSED,
                cure="does one of them contain itself?",
            )
        here, rest = chain[0], chain[1:]
        known = dict(place.submodules)
        found = await submodules(Path(place.path), place.commit, of=parse(url))
        wanted = next((one for one in found if one.path == here), None)
        if wanted is None:
            raise GitFailed(
                f"{here} is a submodule of which .gitmodules has no address",
                code=Failure.ADDRESS,
                cure="add it to .gitmodules, or remove the folder",
            )
        self._permit(parse(url), wanted.address, project)
        address = wanted.address.url
        if here not in known:
            path, commit = await self._git.commit(address, project, wanted.commit)
            known[here] = Place(str(path), commit)
        if rest:
            known[here] = await self.added(known[here], address, project, rest)
        return msgspec.structs.replace(place, submodules=tuple(sorted(known.items())))

    def _permit(self, of: Address, wanted: Address, project: str) -> None:
        if wanted.host == of.host or self._credentials.find(wanted.url, project).secret:
            return
        raise GitFailed(
            f"the submodule {wanted.shown} is on another host than {of.shown}",
            code=Failure.REFUSED,
            cure="add a repository Secret for its address, which allows it",
        )

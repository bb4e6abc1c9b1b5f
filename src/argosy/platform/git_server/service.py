"""Wiring of the Git server: the contract, what git itself asks for, and the upkeep behind both."""

from __future__ import annotations

from typing import cast

from argosy.backends.hosting import Resources, Running, Service
from argosy.contracts.git_server import GitServer
from argosy.contracts.identity import Identity
from argosy.platform.git_server.announcing import Announcer
from argosy.platform.git_server.api import Api
from argosy.platform.git_server.asking import write_hook
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.hinting import Hints
from argosy.platform.git_server.pushing import Pushing
from argosy.platform.git_server.rights import Rights
from argosy.platform.git_server.serving import Serving
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Store
from argosy.platform.git_server.upkeep import Upkeep


async def build(resources: Resources) -> Running:
    settings = cast(GitServerSettings, resources.settings)
    database, recorder, clock = resources.database, resources.recorder, resources.clock
    folders, store = Folders(resources.data_dir / "git"), Store(database)
    folders.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_hook(folders.hooks)
    rights = Rights(resources.clients(Identity))
    hints = Hints(settings.engine_socket, settings.engine_token)
    announcer = Announcer(store, resources.outbox, recorder, folders, clock, hints.pushed)
    upkeep = Upkeep(store, folders, announcer, settings)
    pushing = Pushing(store, folders, announcer, settings, clock, upkeep.after_push)
    return Running(
        api=Api(store, database, recorder, folders, rights, upkeep, settings, clock),
        passages=Serving(store, folders, rights, pushing, recorder, settings),
        background=(upkeep.run,),
    )


SERVICE = Service(
    name="git_server",
    contract=GitServer,
    build=build,
    depends_on=("identity",),
    settings=GitServerSettings,
    migrations="argosy.platform.git_server.migrations",
)

"""What an AppProject lets its applications do: where from, where to, which kinds, when."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType, field

from argosy.contracts.argo.source import Described


class ProjectDestination(Described):
    """Globs; one that begins with `!` forbids. `server` or `name` must fit, and `namespace`."""

    server: str = ""
    name: str = ""
    namespace: str = ""


class GroupKind(Described):
    """Patterns of a shell."""

    group: str = ""
    kind: str = ""


class ClusterKind(Described):
    """A kind of the whole cluster; `name` is for all of its objects when it is empty."""

    group: str = ""
    kind: str = ""
    name: str = ""


class Token(Described):
    """Issued for a role; the times are seconds since 1970."""

    issued_at: int = field(name="iat")
    expires_at: int = field(name="exp", default=0)
    id: str = ""


class Role(Described):
    """`policies` are lines as `p, proj:shop:deployer, applications, sync, shop/*, allow`."""

    name: str
    description: str = ""
    policies: list[str] = []
    jwt_tokens: list[Token] = []
    groups: list[str] = []


class SyncWindow(Described):
    """`schedule` says when it opens (five fields of cron), `duration` for how long (as Go writes it: 1h30m)."""

    kind: str = ""
    schedule: str = ""
    duration: str = ""
    applications: list[str] = []
    namespaces: list[str] = []
    clusters: list[str] = []
    manual_sync: bool = False
    time_zone: str = ""
    and_operator: bool = False
    description: str = ""
    sync_overrun: bool = False


class OrphanKey(Described):
    group: str = ""
    kind: str = ""
    name: str = ""


class Orphans(Described):
    warn: bool = False
    ignore: list[OrphanKey] = []


class ServiceAccount(Described):
    """Whom a sync to that destination acts as."""

    server: str = ""
    namespace: str = ""
    default_service_account: str = ""


class SignatureKey(Described):
    key_id: str = field(name="keyID")


class ProjectSpec(Described):
    """Of the namespaced kinds all are permitted while `namespaceResourceWhitelist` is absent, none when it is empty."""

    source_repos: list[str] = []
    destinations: list[ProjectDestination] = []
    description: str = ""
    roles: list[Role] = []
    cluster_resource_whitelist: list[ClusterKind] = []
    cluster_resource_blacklist: list[ClusterKind] = []
    namespace_resource_whitelist: list[GroupKind] | UnsetType | None = UNSET
    namespace_resource_blacklist: list[GroupKind] = []
    orphaned_resources: Orphans | None = None
    sync_windows: list[SyncWindow] = []
    signature_keys: list[SignatureKey] = []
    source_namespaces: list[str] = []
    permit_only_project_scoped_clusters: bool = False
    destination_service_accounts: list[ServiceAccount] = []
    source_integrity: dict[str, Any] | None = None


class Tokens(Described):
    items: list[Token] = []


class ProjectStatus(Described):
    jwt_tokens_by_role: dict[str, Tokens] = {}


class AppProject(Described):
    spec: ProjectSpec
    metadata: dict[str, Any] = {}
    status: ProjectStatus | None = None

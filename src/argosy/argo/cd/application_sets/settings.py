"""What an installation says of all its ApplicationSets."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.contracts.argo.application_set import SetSpec, SyncChoice


@dataclass(frozen=True, slots=True)
class Settings:
    """`policy` counts where a set may not say its own, or does not. `namespaces`: where sets are looked at; None: everywhere."""

    policy: SyncChoice = "sync"
    may_override: bool = True
    rolling: bool = True
    strict_globs: bool = False
    preserved_annotations: tuple[str, ...] = ()
    preserved_labels: tuple[str, ...] = ()
    most_resources: int = 5000
    namespaces: frozenset[str] | None = None

    def policy_of(self, spec: SetSpec | None) -> SyncChoice:
        own = spec.sync_policy.applications_sync if spec is not None and spec.sync_policy else None
        return own if own is not None and self.may_override else self.policy

    def may_update(self, spec: SetSpec) -> bool:
        return self.policy_of(spec) in {"create-update", "sync"}

    def may_delete(self, spec: SetSpec | None) -> bool:
        return self.policy_of(spec) in {"create-delete", "sync"}

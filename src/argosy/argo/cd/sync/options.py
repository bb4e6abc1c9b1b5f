"""The sync options of an application (`Key=value`, exactly so), and what an operation asks on top of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from argosy.kube.client.client import Propagation

_PROPAGATION: dict[str, Propagation] = {
    "foreground": "Foreground",
    "background": "Background",
    "orphan": "Orphan",
}


@dataclass(frozen=True, slots=True)
class Options:
    create_namespace: bool = False
    prune: str = ""
    """`false` or `confirm` where an object says nothing itself."""
    prune_last: bool = False
    propagation: Propagation = "Foreground"
    only_out_of_sync: bool = False
    replace: bool = False
    force: bool = False
    validate: bool = True
    skip_dry_run_on_missing: bool = False
    respect_ignored: bool = False
    fail_on_shared: bool = False
    migrate: bool = True
    """Fields that `kubectl apply` owns are taken over, so that removing them from Git removes them."""

    @classmethod
    def read(cls, texts: Iterable[str]) -> Options:
        said = dict(text.split("=", 1) for text in texts if "=" in text)
        return cls(
            create_namespace=said.get("CreateNamespace") == "true",
            prune=said.get("Prune", ""),
            prune_last=said.get("PruneLast") == "true",
            propagation=_PROPAGATION.get(said.get("PrunePropagationPolicy", ""), "Foreground"),
            only_out_of_sync=said.get("ApplyOutOfSyncOnly") == "true",
            replace=said.get("Replace") == "true",
            force=said.get("Force") == "true",
            validate=said.get("Validate") != "false",
            skip_dry_run_on_missing=said.get("SkipDryRunOnMissingResource") == "true",
            respect_ignored=said.get("RespectIgnoreDifferences") == "true",
            fail_on_shared=said.get("FailOnSharedResource") == "true",
            migrate=said.get("ClientSideApplyMigration") != "false",
        )


@dataclass(frozen=True, slots=True)
class Request:
    """One operation, as the planner and the doers need it."""

    namespace: str
    """Of the destination."""
    revision: str
    started_at: int
    """In Unix seconds: part of the names of hooks that have only `generateName`."""
    options: Options = Options()
    prune: bool = False
    prune_confirmed: bool = False
    dry_run: bool = False
    skip_hooks: bool = False
    """By the strategy `apply`, and when only some objects were chosen."""
    force: bool = False
    """By the strategy, for all objects."""

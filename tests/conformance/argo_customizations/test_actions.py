"""Argo CD's own cases of resource actions: its scripts through our Lua, and our built-in actions beside them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from argosy.argo.cd.actions import Action, ActionError, Change, actions_of, perform
from argosy.argo.cd.actions.offer import BUILTINS
from argosy.domain.health import Actions, Script, Scripts
from argosy.domain.health.builtin import key_of
from argosy.kube.objects import Object
from tests.conformance.argo_customizations import corpus

pytestmark = pytest.mark.long

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOT_COMPARED = {".metadata.generation", ".status.observedGeneration", ".status.targetPrimaryTimestamp"}
WITHOUT_BUILTINS = {"numaflow.numaproj.io", "numaplane.numaproj.io"}
FINALIZERS_WHERE_THEY_BELONG = {
    "argoproj.io/CronWorkflow/actions"
}  # upstream writes them beside the metadata
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?")


def with_scripts(case: corpus.ActionCase) -> Scripts:
    by_name = corpus.action_scripts(case.folder)
    actions = Actions(by_name[""], {name: text for name, text in by_name.items() if name})
    return Scripts({key_of(case.obj): Script(actions=actions)})


def rules(case: corpus.ActionCase) -> list[Scripts | None]:
    """Upstream's scripts, and our own actions where there are any."""
    group = case.folder.partition("/")[0]
    return [with_scripts(case)] if group in WITHOUT_BUILTINS else [with_scripts(case), None]


def test_the_same_actions_are_offered() -> None:
    cases = list(corpus.discovery_cases())
    assert len(cases) >= 87
    for case in cases:
        for scripts in rules(case):
            offered = [wire(action) for action in actions_of(case.obj, scripts)]
            wanted = [default(one) for one in case.offered]
            assert sorted(map(str, offered)) == sorted(map(str, wanted)), str(case)


def test_an_action_changes_what_it_changes_in_argo_cd() -> None:
    cases = list(corpus.action_cases())
    assert len(cases) >= 104
    for case in cases:
        for scripts in rules(case):
            try:
                changes = perform(case.action, case.obj, dict(case.params), scripts, now=NOW)
            except ActionError as error:
                assert case.error, f"{case}: {error}"
                assert str(error).endswith(case.error), str(case)
                continue
            assert not case.error, str(case)
            for change in changes:
                compare(case, change, own=scripts is None)


def compare(case: corpus.ActionCase, change: Change, *, own: bool) -> None:
    wanted = [one for one in case.expected if one["kind"] == change.object["kind"]]
    assert wanted, str(case)
    lacking = [
        missing(timeless(settled(case, one, own=own)), timeless(change.object), change.operation)
        for one in wanted
    ]
    assert [] in lacking, f"{case}: {min(lacking, key=len)}"


def settled(case: corpus.ActionCase, wanted: Object, *, own: bool) -> Object:
    if wanted["kind"] == "Deployment":  # what its controller has done since stands in there, too
        wanted = {key: value for key, value in wanted.items() if key != "status"}
    if own and case.folder in FINALIZERS_WHERE_THEY_BELONG and "finalizers" in wanted:
        wanted = {**wanted, "metadata": {**wanted["metadata"], "finalizers": wanted["finalizers"]}}
        del wanted["finalizers"]
    return wanted


def missing(wanted: object, found: object, operation: str, path: str = "") -> list[str]:
    """Where `found` lacks what is wanted. Upstream lets more be there; a created object gets a name of its own."""
    if path in NOT_COMPARED or (operation == "create" and path == ".metadata.name"):
        return []
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            one
            for key, value in wanted.items()
            if value is not None
            for one in missing(value, found.get(key), operation, f"{path}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        return [
            one
            for at, value in enumerate(wanted)
            for one in missing(value, found[at], operation, f"{path}[{at}]")
        ]
    return [] if wanted == found else [f"{path}: {found!r}, not {wanted!r}"]


def timeless(value: object) -> object:
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items()}
    if isinstance(value, list):
        return [timeless(item) for item in value]
    return _TIME.sub("<time>", value) if isinstance(value, str) else value


def wire(action: Action) -> Object:
    shown = {
        "name": action.name,
        "disabled": action.disabled,
        "iconClass": action.icon,
        "displayName": action.display_name,
    }
    return default({**shown, "params": [{"name": name} for name, _ in action.params]})


def default(wanted: Object) -> Object:
    params = [{"name": one["name"]} for one in wanted.get("params") or ()]
    return {"disabled": False, "iconClass": "", "displayName": "", **wanted, "params": params}


def test_every_built_in_action_is_one_of_argo_cds() -> None:
    for key, builtins in BUILTINS.items():
        known = {path.parent.name for path in (corpus.root() / key).rglob("action*.lua")}
        assert {one.name for one in builtins} <= known, key

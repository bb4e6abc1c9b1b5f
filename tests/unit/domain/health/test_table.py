"""How a line of a table is read. Every table that is shipped can be."""

from __future__ import annotations

import pytest

from argosy.domain.health import builtin, table
from argosy.domain.health.line import Sight, parse
from argosy.domain.health.model import Health

OBJECT = {
    "kind": "Thing",
    "metadata": {"name": "it", "generation": 3, "labels": {"app.io/state": "on"}},
    "spec": {"replicas": 2, "paused": False},
    "status": {
        "observedGeneration": 2,
        "ready": 1,
        "phase": "Running smoothly",
        "racks": {"a": {"up": True}, "b": {"up": False}},
        "conditions": [
            {
                "type": "Ready",
                "status": "False",
                "reason": "Starting",
                "message": "soon",
                "observedGeneration": 3,
            },
            {"type": "Synced", "status": "True", "reason": "Done", "message": "all", "observedGeneration": 1},
        ],
    },
}


@pytest.mark.parametrize(
    "tests, holds",
    [
        ("Ready", True), ("Ready=False", True), ("Ready=True", False), ("Ready!=True", True), ("Ready=True|False", True),
        ("Ready=False by Starting|Stopping", True), ("Ready by !Starting", False), ("!Ready", False), ("!Gone", True),
        ("Gone|Synced=True", True), ("*=True by Done", True), ("*=Unknown", False), ("Ready now", True), ("Synced now", False),
        (".status.phase", True), ("!.status.phase", False), (".status.gone", False), (".spec.paused", False), (".spec.paused=false", True),
        (".status.phase=Running*|Done", True), (".status.phase=Running", False), (".status.phase!=Running", True), (".spec.replicas=2", True),
        (".status.ready<.spec.replicas", True), (".spec.replicas<.status.ready", False), (".spec.replicas=.status.ready", False),
        (".metadata.labels[app.io/state]=on", True), (".status.conditions[-1].type=Synced", True), (".status.conditions[9].type", False),
        (".status.racks.*.up=false", True), ("stale", True), ("!stale", False), ("behind", True), ("Ready=False & .status.ready", True),
        ("Ready=False & Synced=False", False),
    ],
)  # fmt: skip
def test_a_line_holds_when_all_its_tests_do(tests: str, holds: bool) -> None:
    found = parse(f"{tests} -> Healthy").judge(Sight(OBJECT, ("status", "conditions")))
    assert (found is not None) is holds


@pytest.mark.parametrize(
    "line, message",
    [
        ("Ready=False -> Degraded", "soon"),
        ('Ready=False -> Degraded ""', ""),
        ("Synced & Ready -> Degraded {message}, {Ready:reason}", "all, Starting"),
        (".status.phase -> Degraded", ""),
        (
            "else Degraded {kind} {name}: {.status.gone|.status.phase} {.spec.replicas} {.status.gone|'or not'}",
            "Thing it: Running smoothly 2 or not",
        ),
    ],
)
def test_a_message_is_the_conditions_or_filled_in(line: str, message: str) -> None:
    assert parse(line).judge(Sight(OBJECT, ("status", "conditions"))) == Health("Degraded", message)


@pytest.mark.parametrize(
    "line", ["Ready=True -> Fine", "else Good enough", ".a. = b c -> Healthy", "A = B -> Healthy"]
)
def test_what_is_no_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="no (health|test)"):
        parse(line)


def test_every_table_can_be_read() -> None:
    every = [key for key in table.kinds() if "/" in key and "\\" not in key]
    assert len(every) > 150
    for key in every:
        rule = table.rule_for(key)
        assert rule is not None
        assert rule({"kind": key.rpartition("/")[2]}) is not None, (
            f"{key}: no line for an object without a status"
        )


def test_no_kind_has_two_rules() -> None:
    assert len(builtin.kinds()) == len(set(builtin.kinds()))


def test_an_exact_kind_goes_before_a_wildcard() -> None:
    exact, wild = table.rule_for("pkg.crossplane.io/Provider"), table.rule_for("pkg.crossplane.io/Function")
    assert exact is not None
    assert wild is not None
    assert exact({}) == Health("Progressing", "Waiting for provider to be installed")
    assert wild({}) == Health("Progressing", "Provisioning ...")
    assert table.rule_for("crossplane.io.example.com/Provider") is None

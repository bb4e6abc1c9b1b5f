"""What an owner leaves behind."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.garbage.decisions import Decision, Found, decide
from argosy.kube.controllers.garbage.graph import Graph, Item, Owner
from argosy.kube.types import Kind

THING = Kind("", "v1", "Thing")


def owned(uid: str, *owners: str, blocks: bool = True, **more: object) -> Item:
    references = tuple(Owner(THING, one, one, blocks) for one in owners)
    return Item(uid, THING, "default", uid, references, **more)  # type: ignore[arg-type]


def decided(item: Item, owners: dict[str, Found], *others: Item) -> Decision:
    graph = Graph()
    for one in (item, *others):
        graph.put(one)
    return decide(graph, item, lambda owner: owners[owner.uid])


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        ({"a": "there"}, Decision("nothing")),
        ({"a": "absent"}, Decision("delete", "Background")),
        ({"a": "absent", "b": "there"}, Decision("unown", uids=("a",))),
        ({"a": "absent", "b": "absent"}, Decision("delete", "Background")),
        ({"a": "unknown"}, Decision("nothing")),
        ({"a": "absent", "b": "unknown"}, Decision("nothing")),
        ({"a": "going"}, Decision("delete", "Background")),
        ({"a": "going", "b": "there"}, Decision("unown", uids=("a",))),
    ],
)
def test_a_dependent_goes_when_nobody_is_left_who_owns_it(
    owners: dict[str, Found], expected: Decision
) -> None:
    assert decided(owned("x", *owners), owners) == expected


def test_what_goes_before_its_owner_takes_its_own_with_it() -> None:
    assert decided(owned("x", "a"), {"a": "going"}, owned("y", "x")) == Decision("delete", "Foreground")


def test_how_its_dependents_fare_was_said_before() -> None:
    found = decided(owned("x", "a", finalizers=("orphan",)), {"a": "absent"})
    assert found == Decision("delete", "Orphan")


def test_an_owner_in_the_foreground_waits_for_those_who_block() -> None:
    going = owned("x", going=True, finalizers=("foregroundDeletion",))
    waiting = decided(going, {}, owned("y", "x"), owned("z", "x", going=True))
    assert waiting == Decision("wait", uids=("y",))
    assert decided(going, {}, owned("y", "x", blocks=False)) == Decision("let go")


def test_orphans_are_left_alone() -> None:
    going = owned("x", going=True, finalizers=("orphan",))
    assert decided(going, {}, owned("y", "x")) == Decision("orphan", uids=("y",))


def test_the_graph_forgets_whom_it_lost() -> None:
    graph = Graph()
    graph.put(owned("x", "a"))
    graph.put(owned("x", "b"))
    assert [graph.dependents("a"), [one.uid for one in graph.dependents("b")]] == [[], ["x"]]
    graph.drop("x")
    assert (graph.dependents("b"), len(graph)) == ([], 0)

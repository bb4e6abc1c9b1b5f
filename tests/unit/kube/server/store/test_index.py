"""The objects in memory: found by key, listed in upstream's order, page after page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.objects import Key
from argosy.kube.server.store.index import Index
from argosy.kube.server.store.states import Stored

COLLECTIONS = st.sampled_from(["pods", "deployments.apps"])
NAMESPACES = st.sampled_from(["", "a", "a-b", "a.b", "ab", "b"])
NAMES = st.sampled_from(["web", "web-1", "web.1", "db", "é"])
KEYS = st.builds(Key, COLLECTIONS, NAMESPACES, NAMES)


def in_order(keys: set[Key], collection: str, namespace: str) -> list[Key]:
    """As upstream has it: by the bytes of the path."""
    chosen = [key for key in keys if key.collection == collection and namespace in {"", key.namespace}]
    return sorted(chosen, key=lambda key: f"{key.namespace}/{key.name}".encode())


@given(st.lists(KEYS), st.lists(st.tuples(st.booleans(), KEYS)), COLLECTIONS, NAMESPACES, st.none() | KEYS)
def test_it_lists_what_was_put_and_not_dropped_in_upstreams_order(
    loaded: list[Key], steps: list[tuple[bool, Key]], collection: str, namespace: str, after: Key | None
) -> None:
    index = Index(Stored(key, 1, b"") for key in loaded)
    there = set(loaded)
    for put, key in steps:
        if put:
            index.put(Stored(key, 2, b""))
            there.add(key)
        elif key in there:
            index.drop(key)
            there.remove(key)
    expected = in_order(there, collection, namespace)
    assert [state.key for state in index.states(collection, namespace, None)] == expected
    assert index.count(collection, namespace) == len(expected)
    assert index.collections() == sorted({key.collection for key in there})
    if after is not None:
        passed = f"{after.namespace}/{after.name}".encode()
        rest = [key for key in expected if f"{key.namespace}/{key.name}".encode() > passed]
        assert [state.key for state in index.states(collection, namespace, after)] == rest


def test_a_newer_state_takes_the_place_of_the_older() -> None:
    key = Key("pods", "default", "web")
    index = Index([Stored(key, 1, b"old")])
    index.put(Stored(key, 2, b"new"))
    assert index.get(key) == Stored(key, 2, b"new")
    assert index.get(Key("pods", "default", "other")) is None
    assert index.count("pods", "") == 1

"""A chain shows every change; what the chain cannot show, signed heads do. Over random chains and random attacks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from argosy.domain.chain import GENESIS, Fault, Head, Link, Verifier, link_hash, seal

contents = st.lists(st.binary(max_size=20), min_size=1, max_size=30, unique=True)


@st.composite
def chains_and_places(draw: st.DrawFn, least: int = 1) -> tuple[list[Link], int]:
    links = seal(GENESIS, draw(st.lists(st.binary(max_size=20), min_size=least, max_size=30, unique=True)))
    return links, draw(st.integers(0, len(links) - least))


def check(links: list[Link], vouched: dict[int, bytes] | None = None, start: Head = GENESIS) -> Fault | None:
    verifier = Verifier(start, vouched or {})
    for link in links:
        if (fault := verifier.feed(link)) is not None:
            return fault
    return verifier.end()


def heads(links: list[Link]) -> dict[int, bytes]:
    return {link.number: link.hash for link in links}


@given(contents, st.integers(0, 30))
def test_an_untouched_chain_is_whole_however_it_was_batched(texts: list[bytes], cut: int) -> None:
    first = seal(GENESIS, texts[:cut])
    links = first + seal(first[-1].head if first else GENESIS, texts[cut:])

    assert links == seal(GENESIS, texts)
    assert check(links, heads(links)) is None


@given(chains_and_places())
def test_an_altered_entry_is_named(case: tuple[list[Link], int]) -> None:
    links, place = case
    altered = replace(links[place], content=links[place].content + b"!")

    fault = check([*links[:place], altered, *links[place + 1 :]])

    assert fault is not None and fault.number == place + 1 and "altered" in fault.problem


@given(chains_and_places())
def test_an_altered_hash_is_named(case: tuple[list[Link], int]) -> None:
    links, place = case
    altered = replace(links[place], hash=bytes(31) + b"\x01")

    fault = check([*links[:place], altered, *links[place + 1 :]])

    assert fault is not None and fault.number == place + 1


@given(chains_and_places())
def test_an_altered_link_backwards_is_named(case: tuple[list[Link], int]) -> None:
    links, place = case
    altered = replace(links[place], previous=bytes(31) + b"\x01")

    fault = check([*links[:place], altered, *links[place + 1 :]])

    assert fault is not None and fault.number == place + 1


@given(chains_and_places(least=2))
def test_an_entry_replaced_together_with_its_hash_is_named(case: tuple[list[Link], int]) -> None:
    links, place = case
    old = links[place]
    content = old.content + b"!"
    replaced = replace(old, content=content, hash=link_hash(old.previous, old.number, content))

    fault = check([*links[:place], replaced, *links[place + 1 :]])

    assert fault is not None and fault.number == place + 1 and "replaced" in fault.problem


@given(chains_and_places(least=2))
def test_a_removed_entry_is_named(case: tuple[list[Link], int]) -> None:
    links, place = case

    fault = check([*links[:place], *links[place + 1 :]])

    assert fault == Fault(place + 1, f"entry {place + 1} is missing")


@given(chains_and_places(least=2))
def test_a_removed_entry_is_named_though_the_rest_was_renumbered(case: tuple[list[Link], int]) -> None:
    links, place = case
    rest = [replace(link, number=link.number - 1) for link in links[place + 1 :]]

    fault = check([*links[:place], *rest])

    assert fault is not None and fault.number == place + 1


@given(chains_and_places(least=2))
def test_an_inserted_entry_is_named_though_it_fits_and_the_rest_was_renumbered(
    case: tuple[list[Link], int],
) -> None:
    links, place = case
    (forged,) = seal(links[place - 1].head if place else GENESIS, [b"forged, and longer than any other"])
    rest = [replace(link, number=link.number + 1) for link in links[place:]]

    fault = check([*links[:place], forged, *rest])

    assert fault == Fault(place + 1, f"entry {place + 1} was inserted")


@given(chains_and_places(least=2), st.booleans())
def test_reordered_entries_are_named(case: tuple[list[Link], int], renumbered: bool) -> None:
    links, place = case
    first, second = links[place], links[place + 1]
    if renumbered:
        swapped = [replace(second, number=first.number), replace(first, number=second.number)]
    else:
        swapped = [second, first]

    fault = check([*links[:place], *swapped, *links[place + 2 :]])

    assert fault is not None and fault.number == place + 1


@given(chains_and_places())
def test_a_cut_off_end_is_noticed_by_a_signed_head(case: tuple[list[Link], int]) -> None:
    links, place = case

    fault = check(links[:place], heads(links[-1:]))

    assert check(links[:place]) is None, "the chain alone cannot know"
    assert fault is not None and fault.number == place + 1 and "cut off" in fault.problem


@given(chains_and_places(), st.integers(1, 7))
def test_a_rewritten_tail_is_noticed_by_a_signed_head(case: tuple[list[Link], int], every: int) -> None:
    links, place = case
    texts = [link.content for link in links]
    texts[place] += b"!"
    signed = heads([*links[::every], links[-1]])

    fault = check(seal(GENESIS, texts), signed)

    assert fault is not None and "rewritten" in fault.problem
    assert fault.number <= place + 1 <= min(number for number in signed if number > place)


@given(chains_and_places())
def test_what_is_left_after_pruning_verifies_from_the_checkpoint(case: tuple[list[Link], int]) -> None:
    links, place = case
    checkpoint = links[place].head

    assert check(links[place + 1 :], heads(links), checkpoint) is None
    if links[place + 2 :]:
        fault = check(links[place + 2 :], heads(links), checkpoint)
        assert fault is not None and fault.number == place + 2

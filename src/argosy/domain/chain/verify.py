"""Verifying: walk a chain from a trusted start and name the first entry that is not as it was sealed.

The chain alone shows any change that did not also recompute every later hash. Heads that were signed and kept
elsewhere (`vouched`) show the rest: a rewritten tail and a cut-off end.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from argosy.domain.chain.seal import Head, Link, link_hash


@dataclass(frozen=True, slots=True)
class Fault:
    number: int
    problem: str


class Verifier:
    """Fed with links in the order of their numbers; each step is constant in memory."""

    def __init__(self, start: Head, vouched: Mapping[int, bytes]) -> None:
        """`vouched`: hashes by number that signed heads attest. Those up to `start` are left out."""
        self.head = start
        self.vouched_up_to = start.number
        self._start = start
        self._last: Link | None = None
        self._vouched = vouched
        self._numbers = sorted(number for number in vouched if number > start.number)

    def feed(self, link: Link) -> Fault | None:
        if (fault := self._order(link) or self._binding(link) or self._attested(link)) is not None:
            return fault
        self._last, self.head = link, link.head
        return None

    def end(self) -> Fault | None:
        """After the last link: does a signed head know of more?"""
        if not self._numbers or self._numbers[-1] <= self.head.number:
            return None
        most, first = self._numbers[-1], self.head.number + 1
        return Fault(
            first, f"the end is cut off: entries {first} to {most} are gone, a signed head vouches for {most}"
        )

    def _order(self, link: Link) -> Fault | None:
        expected = self.head.number + 1
        if link.number == expected:
            return None
        if link.number < expected:
            return Fault(link.number, f"entry {link.number} stands there twice or out of order")
        gone = (
            f"entry {expected} is"
            if link.number == expected + 1
            else f"entries {expected} to {link.number - 1} are"
        )
        return Fault(expected, f"{gone} missing")

    def _binding(self, link: Link) -> Fault | None:
        follows = link.previous == self.head.hash
        if link_hash(self.head.hash, link.number, link.content) == link.hash:
            return (
                None
                if follows
                else Fault(link.number, f"entry {link.number} was altered: its link backwards")
            )
        if follows or self._last is None:
            return Fault(link.number, f"entry {link.number} was altered: its content does not give its hash")
        intact = link_hash(link.previous, link.number, link.content) == link.hash
        if link.previous == self._last.previous:
            return Fault(self._last.number, f"entry {self._last.number} was inserted")
        if intact:
            return Fault(
                self._last.number,
                f"entry {self._last.number} was replaced: the entry after it was sealed on another hash",
            )
        return Fault(
            link.number, f"entry {link.number} was altered, moved or stands in the place of a removed one"
        )

    def _attested(self, link: Link) -> Fault | None:
        attested = self._vouched.get(link.number)
        if attested is None:
            return None
        if attested == link.hash:
            self.vouched_up_to = link.number
            return None
        before = bisect_left(self._numbers, link.number)
        first = (self._numbers[before - 1] if before else self._start.number) + 1
        span = (
            f"entry {link.number} was" if first == link.number else f"entries {first} to {link.number} were"
        )
        return Fault(first, f"{span} rewritten: a signed head has another hash for {link.number}")

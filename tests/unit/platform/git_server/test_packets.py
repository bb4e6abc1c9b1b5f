"""Git's framing: a push's commands are read however the bytes are cut, nonsense is refused, and a refusal names every ref."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kit.errors import BadRequest
from argosy.platform.git_server.packets import FLUSH, Head, packet, refusal

OLD, NEW = "a" * 40, "b" * 40
REFS = st.lists(st.text(alphabet="abc/-é", min_size=1, max_size=20), min_size=1, max_size=5)


def head_of(refs: list[str], capabilities: str = "report-status side-band-64k agent=git/2") -> bytes:
    first, *more = (f"{OLD} {NEW} {ref}" for ref in refs)
    return (
        packet(f"{first}\0 {capabilities}".encode()) + b"".join(packet(one.encode()) for one in more) + FLUSH
    )


@given(refs=REFS, cuts=st.lists(st.integers(1, 40), min_size=1, max_size=30), pack=st.binary(max_size=50))
def test_commands_are_read_however_they_arrive(refs: list[str], cuts: list[int], pack: bytes) -> None:
    data, head, at = head_of(refs) + pack, Head(), 0
    while at < len(data):
        step = cuts[at % len(cuts)]
        head.take(data[at : at + step])
        at += step
    assert head.whole
    assert head.refs == refs
    assert "side-band-64k" in head.capabilities


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    head = Head()
    try:
        head.take(data)
    except BadRequest as refused:
        assert refused.code == "git.protocol"


@pytest.mark.parametrize("data", [b"zzzz", b"0001", b"0003x", b"fff5" + b"x" * 10, b" 12x"])
def test_what_is_no_packet_is_refused(data: bytes) -> None:
    with pytest.raises(BadRequest):
        Head().take(data)


@pytest.mark.parametrize("capabilities", ["report-status side-band-64k", "report-status"])
def test_a_refusal_names_every_ref_and_the_reason(capabilities: str) -> None:
    head = Head()
    head.take(head_of(["refs/heads/a", "refs/tags/b"], capabilities))
    said = refusal(head, "too much", "bring less")
    for words in (b"unpack too much\n", b"ng refs/heads/a too much\n", b"ng refs/tags/b too much\n"):
        assert words in said
    assert (b"bring less" in said) == ("side-band" in capabilities)
    assert said.endswith(FLUSH)

"""What a child writes with Notify is what the supervisor reads."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from argosy.host.processes import Notify
from argosy.host.supervisor import messages
from argosy.host.supervisor.messages import Announcement, Fatal, Garbled, Lines, Message, Ready, Status


@pytest.mark.parametrize(
    ("say", "heard"),
    [
        (lambda notify: notify.ready(), Ready()),
        (lambda notify: notify.status("migrating 3 of 7"), Status("migrating 3 of 7")),
        (lambda notify: notify.fatal("what\nwhere\ncure"), Fatal("what\nwhere\ncure")),
        (lambda notify: notify.announce({"url": "a\nb"}), Announcement({"url": "a\nb"})),
    ],
)
def test_a_message_arrives_as_it_was_meant(say: Callable[[Notify], None], heard: Message) -> None:
    reading, writing = os.pipe()
    say(Notify(writing))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        (line,) = Lines().feed(pipe.read())
    assert messages.parse(line) == heard


@pytest.mark.parametrize("line", [b"", b"HELLO", b"ANNOUNCE {", b"ANNOUNCE [1]", b"\xff\xfe"])
def test_nonsense_is_recognised_as_such(line: bytes) -> None:
    assert isinstance(messages.parse(line), Garbled)


def test_a_garbled_announcement_does_not_repeat_its_secrets() -> None:
    assert "hunter2" not in str(messages.parse(b'ANNOUNCE {"password": "hunter2"'))


def test_lines_are_whole_however_the_bytes_arrive() -> None:
    lines = Lines()
    assert [lines.feed(part) for part in (b"REA", b"DY\nSTA", b"TUS x\n")] == [[], [b"READY"], [b"STATUS x"]]
    assert lines.feed(b"rest") == []
    assert lines.rest() == b"rest"

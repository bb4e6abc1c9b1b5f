"""The one public port."""

from __future__ import annotations

import socket

import pytest

from argosy.host.lifecycle import listener
from argosy.kit.errors import BadRequest, Conflict


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_port_zero_picks_a_free_one_that_listens_at_once(host: str) -> None:
    with listener.bind(host, 0) as public:
        port = listener.port_of(public)
        assert port > 0
        with socket.create_connection((host, port), timeout=5):
            pass


def test_a_port_can_be_bound_again_right_after_use() -> None:
    with listener.bind("127.0.0.1", 0) as public:
        port = listener.port_of(public)
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            public.setblocking(True)
            public.accept()[0].close()
    listener.bind("127.0.0.1", port).close()


def test_a_taken_port_is_told_with_a_cure() -> None:
    with listener.bind("127.0.0.1", 0) as public, pytest.raises(Conflict) as caught:
        listener.bind("127.0.0.1", listener.port_of(public))
    assert "taken" in caught.value.message and "--port" in caught.value.cure


def test_an_address_that_this_machine_lacks_is_told() -> None:
    with pytest.raises(Conflict) as caught:
        listener.bind("192.0.2.1", 0)
    assert "--host" in caught.value.cure


def test_a_name_without_an_address_is_told() -> None:
    with pytest.raises(BadRequest, match=r"no-such-host\.invalid"):
        listener.bind("no-such-host.invalid", 0)

"""Sockets are made and reached wherever they lie."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from argosy.kit import sockets
from argosy.kit.errors import Conflict


@pytest.mark.parametrize("folder", ["near", "deep-" * 40])
def test_a_socket_is_made_and_reached_in_any_folder(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / "part.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(sockets.address(path))
        server.listen()
        client.connect(sockets.address(path))
    assert path.is_socket()


def test_where_no_way_leads_to_a_deep_folder_the_cure_is_a_shorter_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sockets, "_DESCRIPTORS", tmp_path / "none")
    with pytest.raises(Conflict) as refused:
        sockets.address(tmp_path / ("deep-" * 40) / "part.sock")
    assert refused.value.code == "host.long_path"

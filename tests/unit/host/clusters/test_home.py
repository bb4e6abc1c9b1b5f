"""What lies in a cluster's folder, and what if it is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.host.clusters.home import Home
from argosy.kit.errors import Internal


@pytest.mark.parametrize("content", [b"", b"{", b'{"port": "x"}'])
def test_settings_that_cannot_be_read_are_a_clear_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "cluster.json").write_bytes(content)
    with pytest.raises(Internal, match=r"cluster\.json cannot be read"):
        Home(tmp_path).settings()

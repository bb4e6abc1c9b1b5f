"""A first start that nobody saw the end of: the next one lets its owner in."""

from __future__ import annotations

import pytest

from tests.installation import Installation


def test_a_password_that_was_never_shown_is_replaced_by_the_next_start_and_stands_in_no_log() -> None:
    with Installation() as installation:
        unseen = installation.password
        installation.run("down")

        installation.up()

        assert installation.password not in ("", unseen)
        with pytest.raises(AssertionError):
            installation.anonymous.sign_in("admin@argosy.local", unseen)
        assert installation.admin.get("/api/me").status == 200
        logs = "".join(file.read_text() for file in (installation.data_dir / "logs").iterdir())
        assert unseen not in logs and installation.password not in logs
        installation.run("down")
        assert "password" not in installation.run("up", "--detach", "--output", "json").stdout

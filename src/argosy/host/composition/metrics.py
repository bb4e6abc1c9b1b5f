"""Who may read /metrics, and the detail that /readyz has: whoever holds the token in `secrets/metrics-token`, as a scraper is configured with it."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from pathlib import Path

from argosy.host.paths import METRICS_TOKEN
from argosy.kit.errors import Unauthenticated
from argosy.kit.ids import token
from argosy.kit.tokens.files import create_once


def metrics_guard(secrets: Path) -> Callable[[str], None]:
    file = secrets / METRICS_TOKEN
    create_once(file, token().encode(), 0o600)
    expected = f"Bearer {file.read_text().strip()}".encode()

    def guard(authorization: str) -> None:
        if not hmac.compare_digest(authorization.encode(), expected):
            raise Unauthenticated(
                "metrics need their own token",
                code="auth.metrics",
                cure=f"send `Bearer` and what {METRICS_TOKEN} in the secrets folder holds",
            )

    return guard

"""What an operator can set about the edge. `argosy up` fills host, port and URLs."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

DEVICE_PATH = "/api/auth"


class GatewaySettings(msgspec.Struct, frozen=True):
    host: str = "127.0.0.1"
    port: int = 8080
    public_url: str = ""  # how people reach it, when that differs from host and port
    tls: bool = False
    trusted_proxies: list[str] = []  # addresses whose X-Forwarded-For is believed
    requests_per_second: float = 100.0  # per credential
    burst: int = 400
    anonymous_per_second: float = 20.0  # per address without a credential
    anonymous_burst: int = 100
    max_body_bytes: int = 1_048_576
    body_seconds: float = 20.0  # a body that takes longer to arrive is not waited for
    clusters: str = (
        ""  # the socket by which the Ingresses of embedded clusters are reached; `argosy up` fills it
    )

    @property
    def url(self) -> str:
        if self.public_url:
            return self.public_url.rstrip("/")
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        shown = f"[{host}]" if ":" in host else host
        return f"{'https' if self.tls else 'http'}://{shown}:{self.port}"

    @property
    def secure(self) -> bool:
        return self.url.startswith("https://")

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two installations on one host must not overwrite each other's session."""
        return f"__Host-argosy-{self._shown_port}" if self.secure else f"argosy-{self._shown_port}"

    @property
    def device_cookie(self) -> str:
        """Goes to the sign-in alone (`DEVICE_PATH`)."""
        return f"{'__Secure-' if self.secure else ''}argosy-device-{self._shown_port}"

    @property
    def _shown_port(self) -> int:
        return urlsplit(self.url).port or (443 if self.secure else 80)

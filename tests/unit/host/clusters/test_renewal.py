"""A cluster that runs for years: its certificates are replaced before they end, and nobody has to start anything."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
import yaml
from cryptography import x509

from argosy.host.clusters import renewal
from argosy.host.clusters.home import Home
from argosy.kit import clock
from argosy.kube.server.access import Authority

URL = "https://127.0.0.1:6443"
MONTH = timedelta(days=30)


class Years:
    """Begin so long ago that the first certificates end soon: TLS itself goes by the real clock."""

    def __init__(self) -> None:
        self.moment = clock.now() - timedelta(days=340)

    def now(self) -> datetime:
        return self.moment


@pytest.fixture
def years() -> Years:
    return Years()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def authority(home: Home, years: Years) -> Authority:
    return Authority.load(home.keys, hosts=["127.0.0.1"], now=years.now)


def administrator(home: Home) -> x509.Certificate:
    """The one that the kubeconfig has."""
    [user] = yaml.safe_load(home.kubeconfig.read_text())["users"]
    return x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))


class Echo(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._transport.write(data)


@asynccontextmanager
async def listening(authority: Authority) -> AsyncIterator[int]:
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0, ssl=authority.ssl_context())
    async with server:
        yield server.sockets[0].getsockname()[1]


async def connected(
    authority: Authority, port: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, x509.Certificate]:
    trusting = ssl.create_default_context(cadata=authority.certificate_pem)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=trusting)
    shown = writer.get_extra_info("ssl_object").getpeercert(binary_form=True)
    return reader, writer, x509.load_der_x509_certificate(shown)


async def test_a_running_listener_shows_a_new_certificate_before_the_old_one_ends(
    home: Home, authority: Authority, years: Years
) -> None:
    renewal.renew(home, authority, URL)
    async with listening(authority) as port:
        reader, writer, first = await connected(authority, port)
        years.moment = clock.now()
        assert first.not_valid_after_utc - years.moment < MONTH
        renewal.renew(home, authority, URL)
        _, later, second = await connected(authority, port)
        assert second.not_valid_after_utc > first.not_valid_after_utc
        writer.write(b"still here\n")
        assert await reader.readline() == b"still here\n"
        for one in (writer, later):
            one.close()
            await one.wait_closed()


def test_the_kubeconfig_has_a_new_certificate_before_the_old_one_ends(
    home: Home, authority: Authority, years: Years
) -> None:
    renewal.renew(home, authority, URL)
    first = administrator(home)
    years.moment = first.not_valid_after_utc - MONTH + timedelta(hours=1)
    renewal.renew(home, authority, URL)
    second = administrator(home)
    assert second.not_valid_after_utc - years.moment > MONTH
    second.verify_directly_issued_by(authority.certificate)
    assert home.kubeconfig.stat().st_mode & 0o777 == 0o600


def test_while_everything_is_valid_nothing_is_written(home: Home, authority: Authority, years: Years) -> None:
    renewal.renew(home, authority, URL)
    before = (home.kubeconfig.stat().st_ino, sorted(path.stat().st_ino for path in home.keys.iterdir()))
    years.moment += timedelta(days=200)
    renewal.renew(home, authority, URL)
    assert before == (
        home.kubeconfig.stat().st_ino,
        sorted(path.stat().st_ino for path in home.keys.iterdir()),
    )


def test_a_kubeconfig_that_somebody_deleted_or_changed_is_written_again(
    home: Home, authority: Authority
) -> None:
    renewal.renew(home, authority, URL)
    good = home.kubeconfig.read_text()
    home.kubeconfig.unlink()
    renewal.renew(home, authority, URL)
    assert home.kubeconfig.read_text() == good


async def test_it_goes_on_for_as_long_as_the_cluster_runs(
    home: Home, authority: Authority, years: Years, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = asyncio.Event()
    monkeypatch.setattr(renewal, "_LOOK_SECONDS", 0.0)
    monkeypatch.setattr(home.__class__, "write_kubeconfig", lambda *_: looked.set())
    keeping = asyncio.create_task(renewal.keep_valid(home, authority, URL))
    async with asyncio.timeout(10):
        await looked.wait()
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)

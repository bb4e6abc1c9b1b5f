"""A cluster's CA and what it signs: whole, private, renewed in time, and accepted by a real TLS client."""

from __future__ import annotations

import asyncio
import base64
import ssl
import stat
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from argosy.kit.errors import Internal
from argosy.kube.server.access import Authority
from argosy.kube.server.access.certificates import covered
from tests.unit.kube.server.access.cluster import Clock


def certificate(folder: Path, name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate((folder / name).read_bytes())


def test_everything_is_made_once_and_is_nobody_elses_to_read(tmp_path, clock: Clock) -> None:
    folder = tmp_path / "clusters" / "local"
    Authority.load(folder, hosts=[], now=clock.date).kubeconfig(cluster="local", url="https://127.0.0.1:1")
    first = {file.name: file.read_bytes() for file in folder.iterdir()}
    Authority.load(folder, hosts=[], now=clock.date).kubeconfig(cluster="local", url="https://127.0.0.1:1")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == first
    assert set(first) == {"ca.pem", "serving.pem", "admin.pem", "signing.pem"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_serving_certificate_names_the_service_the_loopback_and_the_given_hosts(tmp_path, clock) -> None:
    hosts = ["Cluster.Example", "192.0.2.7", "[2001:db8::1]", "0.0.0.0", "", "bücher.example", "a" * 300]
    Authority.load(tmp_path, hosts=hosts, now=clock.date)
    assert covered(certificate(tmp_path, "serving.pem")) >= {
        "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
        "localhost", "127.0.0.1", "::1", "10.96.0.1", "cluster.example", "192.0.2.7", "2001:db8::1",
        "xn--bcher-kva.example",
    }  # fmt: skip


def test_another_host_gets_another_certificate_of_the_same_ca(tmp_path, clock: Clock) -> None:
    before = Authority.load(tmp_path, hosts=[], now=clock.date)
    after = Authority.load(tmp_path, hosts=["new.example"], now=clock.date)
    assert "new.example" in covered(certificate(tmp_path, "serving.pem"))
    assert after.certificate == before.certificate


def test_a_serving_certificate_is_renewed_a_month_before_it_ends(tmp_path, clock: Clock) -> None:
    authority = Authority.load(tmp_path, hosts=[], now=clock.date)
    authority.ssl_context()
    first = certificate(tmp_path, "serving.pem")
    clock.moment = first.not_valid_after_utc - timedelta(days=31)
    assert not authority.renew()
    clock.moment = first.not_valid_after_utc - timedelta(days=29)
    assert authority.renew()
    second = certificate(tmp_path, "serving.pem")
    assert second.not_valid_after_utc > first.not_valid_after_utc
    second.verify_directly_issued_by(authority.certificate)


def test_a_renewed_ca_keeps_its_key_so_that_what_it_signed_still_holds(tmp_path, clock: Clock) -> None:
    before = Authority.load(tmp_path, hosts=[], now=clock.date)
    clock.moment += timedelta(days=3640)
    after = Authority.load(tmp_path, hosts=[], now=clock.date)
    assert after.certificate != before.certificate
    assert after.certificate.public_key() == before.certificate.public_key()
    assert after.certificate.not_valid_after_utc - clock.moment > timedelta(days=3600)


def test_what_another_ca_signed_is_made_anew(tmp_path, clock: Clock) -> None:
    Authority.load(tmp_path / "one", hosts=[], now=clock.date)
    Authority.load(tmp_path / "two", hosts=[], now=clock.date)
    (tmp_path / "one" / "serving.pem").write_bytes((tmp_path / "two" / "serving.pem").read_bytes())
    authority = Authority.load(tmp_path / "one", hosts=[], now=clock.date)
    certificate(tmp_path / "one", "serving.pem").verify_directly_issued_by(authority.certificate)


@pytest.mark.parametrize("name", ["ca.pem", "serving.pem", "signing.pem"])
def test_a_broken_file_is_named_with_its_cure(tmp_path, clock: Clock, name: str) -> None:
    Authority.load(tmp_path, hosts=[], now=clock.date)
    (tmp_path / name).write_bytes(b"-----BEGIN NOTHING-----\n")
    with pytest.raises(Internal, match=name) as refused:
        Authority.load(tmp_path, hosts=[], now=clock.date)
    assert "backup" in refused.value.cure


def test_the_kubeconfig_has_everything_inside(tmp_path, clock: Clock) -> None:
    authority = Authority.load(tmp_path, hosts=[], now=clock.date)
    config = yaml.safe_load(authority.kubeconfig(cluster="local", url="https://127.0.0.1:6443"))
    (cluster,), (user,), (context,) = config["clusters"], config["users"], config["contexts"]
    assert cluster["cluster"]["server"] == "https://127.0.0.1:6443"
    assert (
        base64.b64decode(cluster["cluster"]["certificate-authority-data"]).decode()
        == authority.certificate_pem
    )
    shown = x509.load_pem_x509_certificate(base64.b64decode(user["user"]["client-certificate-data"]))
    assert shown.subject.rfc4514_string() == "CN=kubernetes-admin,O=system:masters"
    assert b"PRIVATE KEY" in base64.b64decode(user["user"]["client-key-data"])
    assert context["context"] == {"cluster": cluster["name"], "user": user["name"]}
    assert config["current-context"] == context["name"] == "local"


@pytest.fixture
def today(tmp_path) -> Authority:
    """TLS asks the machine's own clock."""
    return Authority.load(tmp_path / "today", hosts=[])


def client_context(authority: Authority, folder: Path | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority.certificate_pem)
    if folder is not None:
        context.load_cert_chain(folder / "admin.pem")
    return context


async def handshake(server: ssl.SSLContext, client: ssl.SSLContext) -> bytes | None:
    """What the server sees of the client's certificate."""
    seen: asyncio.Future[bytes | None] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.set_result(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server) as listening:
        port = listening.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=client, server_hostname="kubernetes.default.svc"
        )
        await reader.read()
        writer.close()
        return await seen


async def test_a_client_may_show_a_certificate_or_none(today: Authority, tmp_path) -> None:
    today.kubeconfig(cluster="local", url="https://127.0.0.1:1")
    server = today.ssl_context()
    assert await handshake(server, client_context(today)) is None
    shown = await handshake(server, client_context(today, tmp_path / "today"))
    assert shown is not None
    assert (
        x509.load_der_x509_certificate(shown).subject.rfc4514_string()
        == "CN=kubernetes-admin,O=system:masters"
    )

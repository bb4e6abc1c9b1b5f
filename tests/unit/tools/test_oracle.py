"""What can be known of the oracle without building it: its Go module, its certificates, how it is reached."""

from __future__ import annotations

import base64
import ssl
from pathlib import Path
from typing import Any

import pytest
import yaml

from argosy.manifests.kustomize import VERSION
from tools import oracle, oracle_build, oracle_kustomize
from tools.oracle_certificates import Certificates
from tools.steps import Stop

UPSTREAM = """module k8s.io/kubernetes

require k8s.io/api v0.0.0

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/kube-proxy => ./staging/src/k8s.io/kube-proxy
)
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates.make(tmp_path_factory.mktemp("oracle") / "pki", host="127.0.0.1", service="10.96.0.1")


def test_the_module_replaces_every_library_that_upstream_replaces() -> None:
    module = oracle_build.kubernetes_module(UPSTREAM)

    assert f"require k8s.io/kubernetes {oracle_build.KUBERNETES}\n" in module
    assert f"\tk8s.io/api => k8s.io/api {oracle_build.LIBRARIES}\n" in module
    assert f"\tk8s.io/kube-proxy => k8s.io/kube-proxy {oracle_build.LIBRARIES}\n" in module
    assert "staging" not in module


def test_an_upstream_that_replaces_nothing_is_an_error() -> None:
    with pytest.raises(Stop, match="replaces no libraries"):
        oracle_build.kubernetes_module("module k8s.io/kubernetes\n")


def test_the_cache_folder_may_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(oracle_build.SETTING, str(tmp_path))

    assert oracle_build.binary("kubectl") == tmp_path / oracle_build.KUBERNETES / "kubectl"
    assert {program.name for program in oracle_build.missing()} == {
        *("etcd", "kube-apiserver", "kube-controller-manager", "kubectl"),
    }


def test_only_the_owner_reads_the_keys(certificates: Certificates) -> None:
    for key in certificates.folder.glob("*.key"):
        assert key.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("inside", [False, True])
def test_a_server_is_reached_by_its_kubeconfig(
    certificates: Certificates, tmp_path: Path, *, inside: bool
) -> None:
    def named(name: str, file: str) -> dict[str, Any]:
        path = certificates.file(file)
        return {f"{name}-data": base64.b64encode(path.read_bytes()).decode()} if inside else {name: str(path)}

    cluster = {"server": "https://127.0.0.1:6443/", **named("certificate-authority", "ca.crt")}
    user = {**named("client-certificate", "admin.crt"), **named("client-key", "admin.key")}
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump({"clusters": [{"cluster": cluster}], "users": [{"user": user}]}))

    reached = oracle.server(kubeconfig)

    assert reached.url == "https://127.0.0.1:6443"
    assert reached.admin.verify_mode is ssl.CERT_REQUIRED
    assert reached.anonymous.verify_mode is ssl.CERT_REQUIRED
    assert reached.anonymous.get_ca_certs() == reached.admin.get_ca_certs() != []


def test_the_real_kustomize_is_the_one_that_ours_is_equal_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(oracle_build.SETTING, str(tmp_path))

    assert oracle_kustomize.binary() == tmp_path / f"kustomize-{VERSION}" / "kustomize"
    assert f"kustomize/v5 {VERSION}\n" in oracle_kustomize.MODULE

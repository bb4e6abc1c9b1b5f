"""`argosy kube ingresses` and `argosy kube hosts`: what can be opened, and which names a cluster may take."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from argosy.kube.client import from_kubeconfig
from tests.installation import Installation
from tests.unit.kube.controllers.ingress.objects import backend, ingress, path, rule


@pytest.fixture
def cluster(installation: Installation) -> Iterator[str]:
    """With an Ingress that wants a name under localhost, one elsewhere, and a path of its own."""
    name = f"c-{secrets.token_hex(4)}"
    made = json.loads(installation.run("kube", "create", name, "-o", "json").stdout)
    wanted = ingress(
        rule(path(), host=f"{name}.localhost"), rule(path(), host=f"{name}.example.test"), default=backend()
    )
    del wanted["metadata"]["uid"]

    async def create() -> None:
        client = from_kubeconfig(Path(made["kubeconfig"]))
        await client.create(wanted)
        await client.close()

    asyncio.run(create())
    yield name
    installation.run("kube", "delete", name)


def urls(installation: Installation, cluster: str, *, most: int) -> list[str]:
    """Once there are so many: the cluster hears of an Ingress a moment after whoever made it."""
    until = time.monotonic() + 20
    while True:
        listed = json.loads(installation.run("kube", "ingresses", "-o", "json").stdout)
        found = sorted({one["url"] for one in listed if one["cluster"] == cluster})
        if len(found) == most:
            return found
        assert time.monotonic() < until, found


def test_what_an_ingress_serves_is_listed_with_its_urls(installation: Installation, cluster: str) -> None:
    port = urlsplit(installation.url).port

    assert urls(installation, cluster, most=2) == [
        f"{installation.url}/ingress/{cluster}/default/web/",
        f"http://{cluster}.localhost:{port}/",
    ]
    rows = [line.split() for line in installation.run("kube", "ingresses").stdout.splitlines()]
    assert rows[0] == ["CLUSTER", "NAMESPACE", "NAME", "SERVICE", "URL"]
    assert [cluster, "default", "web", "web:80", f"http://{cluster}.localhost:{port}/"] in rows


def test_an_operator_chooses_which_names_a_cluster_may_take(installation: Installation, cluster: str) -> None:
    shown = installation.run("kube", "hosts", cluster, "*.example.test", "--own-paths", "off").stdout

    assert shown == "hosts: *.example.test\npaths of their own: no\n"
    assert [urlsplit(one).hostname for one in urls(installation, cluster, most=1)] == [
        f"{cluster}.example.test"
    ]
    assert installation.run("kube", "hosts", cluster).stdout == shown
    installation.run("kube", "hosts", cluster, "--default", "--own-paths", "on")
    assert len(urls(installation, cluster, most=2)) == 2


@pytest.mark.parametrize("pattern", ["*", "*.", "Shop.example.com", "a..b", "http://x", "*.*.x", "x:80"])
def test_what_is_no_host_name_is_refused_in_words(installation: Installation, pattern: str) -> None:
    done = installation.run("kube", "hosts", "local", pattern, check=False)

    assert done.returncode != 0
    assert "is no host name" in done.stderr

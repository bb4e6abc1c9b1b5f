"""What a cluster says of its health. The recorded scenarios have it beside a real one's; here is what happens when something fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.opening import open_cluster
from argosy.kube.wire import Query, Request
from tests.embedded_cluster import NoNodes

HOOKS = """\
[+]poststarthook/start-apiextensions-controllers ok
[+]poststarthook/crd-informer-synced ok
[+]poststarthook/start-system-namespaces-controller ok
[+]poststarthook/start-cluster-authentication-info-controller ok
[+]poststarthook/rbac/bootstrap-roles ok
[+]poststarthook/scheduling/bootstrap-system-priority-classes ok
[+]poststarthook/bootstrap-controller ok
"""


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    users = {"secret": User("tester", groups=("system:masters",))}
    opened = await open_cluster(
        "test", objects=None, keys=tmp_path, hosts=[], tokens=users, kubelet=NoNodes()
    )
    yield opened
    await opened.store.close()


async def said(cluster: Cluster, path: str, *query: tuple[str, str], token: str = "") -> tuple[int, str]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    asked: Query = query
    answer = await Pipeline(cluster).handle(Request("GET", path, asked, headers))
    assert isinstance(answer.body, bytes)
    return answer.status, answer.body.decode()


async def test_a_healthy_cluster_says_so_in_one_word_or_check_by_check(cluster: Cluster) -> None:
    assert await said(cluster, "/readyz") == (200, "ok")
    assert await said(cluster, "/livez", ("verbose", "")) == (
        200,
        f"[+]ping ok\n[+]log ok\n[+]etcd ok\n{HOOKS}livez check passed\n",
    )
    assert await said(cluster, "/readyz", ("verbose", "no")) == (
        200,
        "[+]ping ok\n[+]log ok\n[+]etcd ok\n[+]etcd-readiness ok\n[+]informer-sync ok\n"
        f"{HOOKS}[+]shutdown ok\nreadyz check passed\n",
    )


async def test_excluded_checks_are_named_and_so_are_those_that_there_are_not(cluster: Cluster) -> None:
    asked = [("verbose", ""), ("exclude", "log"), ("exclude", "z"), ("exclude", 'a"b')]
    assert await said(cluster, "/healthz", *asked) == (
        200,
        f"[+]ping ok\n[+]log excluded: ok\n[+]etcd ok\n{HOOKS}"
        'warn: some health checks cannot be excluded: no matches for "a\\"b","z"\nhealthz check passed\n',
    )


async def test_a_disk_that_refuses_is_told_to_everybody_and_why_only_to_those_who_may_know(
    cluster: Cluster,
) -> None:
    cluster.store.refusing = True
    status, text = await said(cluster, "/livez")
    assert status == 500
    assert text.startswith("[+]ping ok\n[+]log ok\n[-]etcd failed: reason withheld\n[+]poststarthook/")
    assert text.endswith("\nlivez check failed\n")
    assert await said(cluster, "/readyz/etcd", token="secret") == (
        500,
        "internal server error: the disk did not take the last write\n",
    )
    assert (await said(cluster, "/readyz/etcd"))[0] == 403
    assert await said(cluster, "/livez", ("exclude", "etcd")) == (200, "ok")
    assert (await said(cluster, "/readyz", ("exclude", "etcd")))[0] == 500


async def test_checks_that_there_are_not_are_not_found(cluster: Cluster) -> None:
    for path in ("/readyz/nothing", "/livez/shutdown", "/readyz/", "/readyz/ping/", "/livez/poststarthook"):
        assert (await said(cluster, path, token="secret"))[0] == 404, path
        assert (await said(cluster, path))[0] == 403, path

from __future__ import annotations

import pytest

from argosy.kube.server.access import Access, Authority
from tests.unit.kube.server.access.cluster import Clock, Cluster


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def authority(tmp_path, clock: Clock) -> Authority:
    return Authority.load(tmp_path / "authority", hosts=["cluster.example"], now=clock.date)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


@pytest.fixture
def access(cluster: Cluster, authority: Authority, clock: Clock) -> Access:
    return Access(authority, cluster, now=clock)

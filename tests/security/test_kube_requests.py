"""Whatever is sent to an embedded cluster is answered as Kubernetes answers it: a Status with its code and reason, never a 500."""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from argosy.kit import yaml
from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.opening import open_cluster
from argosy.kube.wire import Request, Response
from tests.embedded_cluster import NoNodes
from tests.security.kube_requests import Spoiler, Spoilt, samples

KNOWN_REASONS = {
    400: {"BadRequest"},
    403: {"Forbidden"},
    404: {"NotFound"},
    405: {"MethodNotAllowed"},
    406: {"NotAcceptable"},
    409: {"Conflict", "AlreadyExists"},
    410: {"Expired"},
    413: {"RequestEntityTooLarge"},
    415: {"UnsupportedMediaType"},
    422: {"Invalid"},
    501: {"NotImplemented"},  # exec and its like: simulated nodes run nothing
    503: {"ServiceUnavailable"},  # behind `proxy` nobody answers
    504: {"Timeout"},  # a resourceVersion that is still to come
}


@pytest.fixture
async def pipeline(tmp_path: Path) -> AsyncIterator[Pipeline]:
    """An API server in memory that holds one good object of every kind."""
    cluster = await open_cluster(
        "test",
        objects=None,
        keys=tmp_path / "pki",
        hosts=["127.0.0.1"],
        tokens={"t": User("tester", groups=("system:masters",))},
        kubelet=NoNodes(),
    )
    made = Pipeline(cluster)
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}}
    await send(
        made,
        Spoilt("POST", "/api/v1/namespaces/default/serviceaccounts", (), {}, json.dumps(account).encode()),
    )
    for one in samples():
        await send(made, Spoilt("POST", one.path, (), {}, json.dumps(one.object).encode()))
    yield made
    await cluster.store.close()


async def send(pipeline: Pipeline, spoilt: Spoilt) -> Response:
    headers = {"authorization": "Bearer t", "content-type": "application/json", **spoilt.headers}
    answer = await pipeline.handle(Request(spoilt.method, spoilt.path, spoilt.query, headers, spoilt.body))
    if isinstance(answer.body, bytes):
        return answer
    try:
        async with asyncio.timeout(0):  # of a stream only what is there
            async for _ in answer.body:
                pass
    except TimeoutError:
        pass
    finally:
        await answer.body.aclose()  # type: ignore[attr-defined]  # every stream of the server is a generator
    return Response(answer.status, answer.headers)


def check(spoilt: Spoilt, answer: Response) -> None:
    assert isinstance(answer.body, bytes)
    said = (spoilt, answer.status, answer.body[:500])
    for name, value in answer.headers.items():
        assert "\r" not in value and "\x00" not in value, (name, *said)
    if answer.status < 400:
        return
    assert answer.status in KNOWN_REASONS, said
    assert len(answer.body) < 4_000_000, said
    if answer.body == b"404 page not found\n":
        return
    status = (
        yaml.load(answer.body, what="answer")
        if b"yaml" in answer.headers["content-type"].encode()
        else json.loads(answer.body)
    )
    assert status["kind"] == "Status" and status["code"] == answer.status and status["message"], said
    assert status["reason"] in KNOWN_REASONS[answer.status], said


async def spoil(pipeline: Pipeline, seed: int, number: int) -> None:
    for spoilt in itertools.islice(Spoiler(seed).requests(), number):
        check(spoilt, await send(pipeline, spoilt))


async def test_a_spoilt_request_is_answered_with_a_status(pipeline: Pipeline) -> None:
    await spoil(pipeline, 1, 3000)


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_many_spoilt_requests_are_answered_with_a_status(pipeline: Pipeline) -> None:
    await spoil(pipeline, secrets.randbits(32), 200_000)

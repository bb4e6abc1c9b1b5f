"""OCI registries, as far as charts need them: tags, a manifest, a layer; and the tokens that registries want."""

from __future__ import annotations

import re
from typing import TypeVar
from urllib.parse import urlencode

import msgspec

from argosy.argo.cd.repositories.credentials import Repository
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_T = TypeVar("_T")
_SMALL = 4 * 1024 * 1024
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')
_REFERENCE = re.compile(r"[a-z0-9.-]+(?::\d+)?(?:/[a-z0-9._-]+)+")


class _Tags(msgspec.Struct):
    tags: list[str] | None = None


class _Layer(msgspec.Struct, rename="camel"):
    media_type: str
    digest: str


class _Manifest(msgspec.Struct):
    layers: list[_Layer] = []


class _Token(msgspec.Struct):
    token: str = ""
    access_token: str = ""


async def tags(fetcher: Fetcher, repository: Repository, reference: str) -> list[str]:
    body = await _ask(fetcher, repository, reference, "tags/list", "application/json", _SMALL)
    return _decoded(body, _Tags, reference).tags or []


async def chart(
    fetcher: Fetcher, repository: Repository, reference: str, version: str, *, limit: int
) -> bytes:
    """The packed chart. A version's `+` is a `_` in tags."""
    tag = version.replace("+", "_")
    body = await _ask(fetcher, repository, reference, f"manifests/{tag}", _MANIFEST, _SMALL)
    layers = [one for one in _decoded(body, _Manifest, reference).layers if one.media_type == _CHART]
    if len(layers) != 1:
        raise FetchFailed(f"{reference}:{tag} is no chart: it has {len(layers)} layers of type {_CHART}")
    return await _ask(fetcher, repository, reference, f"blobs/{layers[0].digest}", "*/*", limit)


async def _ask(
    fetcher: Fetcher, repository: Repository, reference: str, what: str, accept: str, limit: int
) -> bytes:
    if not _REFERENCE.fullmatch(reference):
        raise FetchFailed(
            f"{reference!r} is no reference to a registry; write it like oci://registry.example/charts"
        )
    host, _, name = reference.partition("/")
    scheme = "http" if repository.insecure and host.split(":")[0] in {"localhost", "127.0.0.1"} else "https"
    url = f"{scheme}://{host}/v2/{name}/{what}"
    answer, body = await fetcher.ask(
        url, repository, limit=limit, headers={"Accept": accept}, accept=frozenset({401})
    )
    if answer.status != 401:
        return body
    token = await _token(fetcher, repository, answer.headers.get("WWW-Authenticate", ""), name)
    headers = {"Accept": accept, "Authorization": f"Bearer {token}"}
    return await fetcher.get(url, repository, limit=limit, headers=headers)


async def _token(fetcher: Fetcher, repository: Repository, challenge: str, name: str) -> str:
    said = dict(_CHALLENGE.findall(challenge))
    if not challenge.lower().startswith("bearer") or "realm" not in said:
        raise FetchFailed("the registry wants to be signed in to; check the repository's Secret")
    query = {"service": said.get("service", ""), "scope": said.get("scope") or f"repository:{name}:pull"}
    _, body = await fetcher.ask(f"{said['realm']}?{urlencode(query)}", repository, limit=_SMALL)
    found = _decoded(body, _Token, said["realm"])
    return found.token or found.access_token


def _decoded(body: bytes, type_: type[_T], what: str) -> _T:
    try:
        return msgspec.json.decode(body, type=type_)
    except msgspec.MsgspecError as error:
        raise FetchFailed(f"{what}: the answer is not what a registry says: {error}") from None

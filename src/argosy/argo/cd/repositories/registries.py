"""OCI registries, as far as sources need them: tags, a manifest, a layer; and the tokens that registries want."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode, urljoin

import msgspec

from argosy.argo.cd.repositories.credentials import Repository, shown
from argosy.argo.cd.repositories.fetching import Answer, Fetcher, FetchFailed, Question

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
_LAYERS = (_CHART, "application/vnd.oci.image.layer.v1.tar+gzip", "application/vnd.oci.image.layer.v1.tar")
_T = TypeVar("_T")
_SMALL = 4 * 1024 * 1024
_MOST_PAGES = 50
_CHALLENGE = re.compile(r'(\w+)="([^"]*)"')
_NEXT = re.compile(r'<([^>]+)>\s*;\s*rel="?next"?')
_REFERENCE = re.compile(r"[A-Za-z0-9.-]+(?::\d+)?(?:/[a-z0-9._-]+)+")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


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


@dataclass(frozen=True, slots=True)
class Content:
    """`manifest` and `layer` are digests."""

    manifest: str
    layer: str
    is_chart: bool


class Registry:
    """One repository of a registry: `registry.example/charts/web`."""

    def __init__(self, fetcher: Fetcher, repository: Repository, reference: str) -> None:
        if not _REFERENCE.fullmatch(reference):
            raise FetchFailed(
                f"{reference.rpartition('@')[2][:200]!r} is no reference to a registry; write it like oci://registry.example/charts"
            )
        self._fetcher, self._repository, self.reference = fetcher, repository, reference
        host, _, self._name = reference.partition("/")
        self._root = f"{'http' if repository.plain_http else 'https'}://{host}/v2/{self._name}/"
        self._token = ""

    async def tags(self) -> list[str]:
        found: list[str] = []
        url = f"{self._root}tags/list"
        for _ in range(_MOST_PAGES):
            answer = await self._ask(url, {"Accept": "application/json"}, _SMALL)
            found += _decoded(answer.body, _Tags, self.reference).tags or []
            onward = _NEXT.search(answer.headers.get("Link", ""))
            if onward is None:
                return found
            url = urljoin(url, onward[1])
            if not url.startswith(self._root):
                raise FetchFailed(f"{self.reference}: its list of tags goes on somewhere else")
        return found

    async def content(self, tag: str) -> Content:
        """What a tag, or a digest, stands for now."""
        if not _TAG.fullmatch(tag) and not _DIGEST.fullmatch(tag):
            raise FetchFailed(f"{tag[:80]!r} cannot be a tag of {self.reference}")
        body = (await self._ask(f"{self._root}manifests/{tag}", {"Accept": _MANIFEST}, _SMALL)).body
        layers = _decoded(body, _Manifest, self.reference).layers
        chosen = next(
            (found for kind in _LAYERS if (found := [one for one in layers if one.media_type == kind])), []
        )
        if len(chosen) != 1 or not _DIGEST.fullmatch(chosen[0].digest):
            raise FetchFailed(
                f"{self.reference}:{tag} is neither a chart nor manifests: it must have one layer of type {_CHART} or {_LAYERS[1]}"
            )
        digest = f"sha256:{hashlib.sha256(body).hexdigest()}"
        if _DIGEST.fullmatch(tag) and tag != digest:
            raise FetchFailed(f"{self.reference}@{tag}: the registry answers something else")
        return Content(digest, chosen[0].digest, chosen[0].media_type == _CHART)

    async def layer(self, digest: str, *, limit: int) -> bytes:
        body = (await self._ask(f"{self._root}blobs/{digest}", {"Accept": "*/*"}, limit)).body
        if f"sha256:{hashlib.sha256(body).hexdigest()}" != digest:
            raise FetchFailed(f"{self.reference}: what was fetched is not what its digest says")
        return body

    async def _ask(self, url: str, headers: Mapping[str, str], limit: int) -> Answer:
        for last in (False, True):
            signed = {"Authorization": f"Bearer {self._token}"} if self._token else {}
            question = Question(url, limit, {**headers, **signed}, frozenset() if last else frozenset({401}))
            answer = await self._fetcher.ask(question, self._repository)
            if answer.status != 401:
                return answer
            self._token = await self._new_token(answer.headers.get("WWW-Authenticate", ""))
        raise AssertionError("the second answer is an answer or an error")

    async def _new_token(self, challenge: str) -> str:
        said = dict(_CHALLENGE.findall(challenge))
        realm = said.get("realm", "")
        if not challenge.lower().startswith("bearer") or not realm:
            raise FetchFailed(
                f"{self.reference}: authentication required (HTTP 401); check the repository's Secret"
            )
        if not realm.startswith("https://") and not self._repository.plain_http:
            raise FetchFailed(f"{self.reference}: it wants to be signed in to at {shown(realm)}, without TLS")
        query = {
            "service": said.get("service", ""),
            "scope": said.get("scope") or f"repository:{self._name}:pull",
        }
        body = (
            await self._fetcher.ask(Question(f"{realm}?{urlencode(query)}", _SMALL), self._repository)
        ).body
        found = _decoded(body, _Token, self.reference)
        return found.token or found.access_token


def _decoded(body: bytes, type_: type[_T], what: str) -> _T:
    try:
        return msgspec.json.decode(body, type=type_)
    except msgspec.MsgspecError as error:
        raise FetchFailed(f"{what}: the answer is not what a registry says: {error}") from None

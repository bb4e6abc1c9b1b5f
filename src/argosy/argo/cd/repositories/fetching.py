"""Gets bytes from HTTP servers: bounded in size and time, with the credentials of the repository and to nobody else."""

from __future__ import annotations

import asyncio
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp

from argosy.argo.cd.repositories.credentials import Credentials, Repository, shown
from argosy.kit.log import mask_text

_SECONDS = 60.0
_HOPS = 5
_PIECE = 256 * 1024
_ONWARD = frozenset({301, 302, 303, 307, 308})


class FetchFailed(Exception):
    """In words for the application's condition, without a secret."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Question:
    """`accept`: failures that the caller wants to see."""

    url: str
    limit: int
    headers: Mapping[str, str] = field(default_factory=dict)
    accept: frozenset[int] = frozenset()


class Fetcher:
    """One session for all: connections are kept. `close` it."""

    def __init__(self, credentials: Credentials, *, seconds: float = _SECONDS) -> None:
        self._credentials, self._seconds = credentials, seconds
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, url: str, repository: Repository, *, limit: int, headers: Mapping[str, str] | None = None
    ) -> bytes:
        return (await self.ask(Question(url, limit, headers or {}), repository)).body

    async def ask(self, question: Question, repository: Repository) -> Answer:
        """Follows redirects itself, because what signs in here is not sent elsewhere, nor without TLS."""
        url, origin = question.url, _origin(question.url)
        for _ in range(_HOPS):
            if urlsplit(url).scheme not in {"http", "https"}:
                raise FetchFailed(f"{shown(url)}: only http and https are fetched")
            answer = await self._once(url, repository, question, signed_in=_origin(url) == origin)
            if answer.status in _ONWARD and "Location" in answer.headers:
                url = urljoin(url, answer.headers["Location"])
            elif answer.status >= 400 and answer.status not in question.accept:
                raise FetchFailed(_refusal(url, answer.status))
            else:
                return answer
        raise FetchFailed(f"{shown(question.url)}: redirected more than {_HOPS} times")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _once(self, url: str, repository: Repository, question: Question, *, signed_in: bool) -> Answer:
        session = self._open()
        headers = dict(question.headers)
        if not signed_in:
            headers.pop("Authorization", None)
        elif repository.username or repository.password:
            headers.setdefault(
                "Authorization", aiohttp.encode_basic_auth(repository.username, repository.password)
            )
        try:
            async with session.get(
                url,
                headers=headers,
                ssl=await self._tls(url, repository if signed_in else None),
                proxy=repository.proxy or None,
                allow_redirects=False,
            ) as answer:
                body = bytearray()
                if answer.status not in _ONWARD:
                    async for piece in answer.content.iter_chunked(_PIECE):
                        body += piece
                        if len(body) > question.limit:
                            raise FetchFailed(f"{shown(url)}: larger than {question.limit / 2**20:g} MB")
                return Answer(answer.status, answer.headers, bytes(body))
        except TimeoutError:
            raise FetchFailed(f"{shown(url)}: no whole answer within {self._seconds:g} s") from None
        except (aiohttp.ClientError, ValueError, OSError) as error:
            said = mask_text(str(error)) or type(error).__name__
            raise FetchFailed(f"{shown(url)} cannot be reached: {said}") from None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=self._seconds)
            self._session = aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar())
        return self._session

    async def _tls(self, url: str, repository: Repository | None) -> ssl.SSLContext | bool:
        if repository is not None and repository.insecure:
            return False
        authority = self._credentials.certificates.get(urlsplit(url).hostname or "", "")
        certificate = repository.certificate if repository is not None else ""
        key = repository.certificate_key if repository is not None else ""
        if not authority and not certificate:
            return True
        try:
            return await asyncio.to_thread(_context, authority, certificate, key)
        except (ssl.SSLError, ValueError) as error:
            raise FetchFailed(f"{shown(url)}: a certificate that was given cannot be read: {error}") from None


@lru_cache(maxsize=64)
def _context(authority: str, certificate: str, key: str) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authority or None)
    if certificate:
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
            file.write(f"{certificate}\n{key}\n")
            file.flush()
            context.load_cert_chain(Path(file.name))
    return context


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.rpartition("@")[2]


def _refusal(url: str, status: int) -> str:
    if status in {401, 403}:
        return f"{shown(url)}: authentication required (HTTP {status}); check the repository's Secret"
    if status == 404:
        return f"{shown(url)}: not found (HTTP 404)"
    return f"{shown(url)}: HTTP {status}"

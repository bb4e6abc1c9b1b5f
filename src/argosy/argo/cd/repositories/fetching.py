"""Gets bytes from HTTP servers: bounded in size and time, with the credentials of the repository and to nobody else."""

from __future__ import annotations

import ssl
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import aiohttp

from argosy.argo.cd.repositories.credentials import Credentials, Repository

_SECONDS = 60.0
_HOPS = 5
_PIECE = 256 * 1024


class FetchFailed(Exception):
    """In words for the application's condition, without a secret."""


class Fetcher:
    """One session for all: connections are kept. `close` it."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials
        self._session: aiohttp.ClientSession | None = None

    async def get(
        self, url: str, repository: Repository, *, limit: int, headers: Mapping[str, str] | None = None
    ) -> bytes:
        return (await self.ask(url, repository, limit=limit, headers=headers))[1]

    async def ask(
        self,
        url: str,
        repository: Repository,
        *,
        limit: int,
        headers: Mapping[str, str] | None = None,
        signed_in: bool = True,
        accept: frozenset[int] = frozenset(),
    ) -> tuple[aiohttp.ClientResponse, bytes]:
        """Follows redirects itself: what signs in here is not sent elsewhere. `accept`: failures that the caller wants to see."""
        origin = urlsplit(url).netloc
        for _ in range(_HOPS):
            if urlsplit(url).scheme not in {"http", "https"}:
                raise FetchFailed(f"{_shown(url)}: only http and https are fetched")
            mine = signed_in and urlsplit(url).netloc == origin
            answer, body, onward = await self._once(url, repository if mine else None, headers or {}, limit)
            if onward:
                url = onward
            elif answer.status >= 400 and answer.status not in accept:
                raise FetchFailed(_refusal(url, answer.status))
            else:
                return answer, body
        raise FetchFailed(f"{_shown(url)}: redirected more than {_HOPS} times")

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def _once(
        self, url: str, repository: Repository | None, headers: Mapping[str, str], limit: int
    ) -> tuple[aiohttp.ClientResponse, bytes, str]:
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_SECONDS))
        login = None
        if repository is not None and (repository.username or repository.password):
            login = aiohttp.BasicAuth(repository.username, repository.password)
        try:
            async with self._session.get(
                url,
                headers=dict(headers),
                auth=login if "Authorization" not in headers else None,
                ssl=self._tls(url, repository),
                proxy=repository.proxy or None if repository is not None else None,
                allow_redirects=False,
            ) as answer:
                if answer.status in {301, 302, 303, 307, 308}:
                    return answer, b"", urljoin(url, answer.headers.get("Location", ""))
                body = bytearray()
                async for piece in answer.content.iter_chunked(_PIECE):
                    body += piece
                    if len(body) > limit:
                        raise FetchFailed(f"{_shown(url)}: larger than {limit // 2**20} MB")
                return answer, bytes(body), ""
        except TimeoutError:
            raise FetchFailed(f"{_shown(url)}: no whole answer within {_SECONDS:.0f} s") from None
        except aiohttp.ClientError as error:
            raise FetchFailed(f"{_shown(url)} cannot be reached: {error}") from None

    def _tls(self, url: str, repository: Repository | None) -> ssl.SSLContext | bool:
        if repository is not None and repository.insecure:
            return False
        authority = self._credentials.certificates.get(urlsplit(url).hostname or "", "")
        if not authority and (repository is None or not repository.certificate):
            return True
        context = ssl.create_default_context(cadata=authority or None)
        if repository is not None and repository.certificate:
            with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
                file.write(f"{repository.certificate}\n{repository.certificate_key}\n")
                file.flush()
                context.load_cert_chain(Path(file.name))
        return context


def _refusal(url: str, status: int) -> str:
    if status in {401, 403}:
        return f"{_shown(url)}: authentication required (HTTP {status}); check the repository's Secret"
    if status == 404:
        return f"{_shown(url)}: not found (HTTP 404)"
    return f"{_shown(url)}: HTTP {status}"


def _shown(url: str) -> str:
    """Without what a query may hold."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

"""One request to the platform over the standard library's client: nothing to import that costs time.

Every write carries an idempotency key, so that one whose answer was lost can be asked again and is done once.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argosy import __version__
from argosy.cli.contexts import ENVIRONMENT, Context, origin
from argosy.cli.failures import FAILED, NOT_SIGNED_IN, TOO_MANY, UNAVAILABLE, USAGE, Failure, status_of

Json = Any  # what JSON can be
Query = dict[str, str | int | bool | None]
SECONDS = 30.0
_CHUNK = 65_536
_PAGE = 200
_DEVICE = "argosy-device-"
_BROKEN = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError, http.client.IncompleteRead)


@dataclass(frozen=True)
class Answer:
    status: int
    reason: str
    data: bytes
    cookies: tuple[str, ...] = ()  # name=value
    location: str = ""


@dataclass(frozen=True)
class SignedIn:
    """Two cookies: the session, and the one to show at the next sign-in."""

    session: str
    device: str


class Api:
    def __init__(self, context: Context, *, cookie: str = "") -> None:
        if not context.key.isascii() or not context.key.isprintable() or " " in context.key:
            raise Failure("the API key holds characters that no key has", cure="copy it again", status=USAGE)
        self._context, self._cookie = context, cookie
        self._url = origin(context.url)

    def get(self, path: str, *, seconds: float = SECONDS, **query: str | int | bool | None) -> Json:
        return self._json("GET", _with_query(path, query), seconds=seconds)

    def post(self, path: str, body: Json = None) -> Json:
        return self._json("POST", path, {} if body is None else body)

    def delete(self, path: str) -> Json:
        return self._json("DELETE", path)

    def pages(
        self, path: str, *, most: int | None, **query: str | int | bool | None
    ) -> tuple[list[Json], bool]:
        """Items up to `most` (None: all), and whether there are more."""
        items: list[Json] = []
        after = ""
        while True:
            limit = _PAGE if most is None else min(_PAGE, most - len(items))
            page = self._json("GET", _with_query(path, {**query, "limit": limit, "after": after}))
            items += page["items"]
            after = page["next"]
            if not after or (most is not None and len(items) >= most):
                return items, bool(after)

    def download(self, path: str, **query: str | int | bool | None) -> Iterator[bytes]:
        """Ends with a failure when the stream does not end as it should: half a file must not look whole."""
        link = self._connection(SECONDS)
        try:
            link.request("GET", _with_query(path, query), None, self._headers("GET"))
            answer = link.getresponse()
            if answer.status != 200:
                raise self._failure(_whole(answer))
            while chunk := answer.read(_CHUNK):
                yield chunk
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise self._unreachable(error) from error
        finally:
            link.close()

    def sign_in(self, email: str, password: str) -> SignedIn:
        answer = self._exchange("POST", "/api/auth/login", {"email": email, "password": password}, SECONDS)
        if answer.status != 200:
            raise self._failure(answer, signing_in=True)
        devices = [cookie for cookie in answer.cookies if _DEVICE in cookie.partition("=")[0]]
        sessions = [cookie for cookie in answer.cookies if cookie not in devices]
        return SignedIn("".join(sessions[:1]), "".join(devices[:1]))

    def _json(self, method: str, path: str, body: Json = None, *, seconds: float = SECONDS) -> Json:
        answer = self._exchange(method, path, body, seconds)
        if answer.status != 200:
            raise self._failure(answer)
        try:
            return json.loads(answer.data)
        except ValueError as error:
            raise Failure(f"{self._url} does not answer like Argosy", cure="check the URL") from error

    def _exchange(self, method: str, path: str, body: Json, seconds: float) -> Answer:
        headers = self._headers(method)
        payload = None
        if body is not None:
            payload, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        once = method != "GET" and path.startswith("/api/auth/")  # signing in knows no idempotency key
        for again in (not once, False):
            try:
                return self._once(method, path, payload, headers, seconds)
            except _BROKEN as error:
                if not again:
                    raise self._unreachable(error) from error
            except (OSError, http.client.HTTPException, UnicodeError) as error:
                raise self._unreachable(error) from error
        raise AssertionError("unreachable")

    def _once(
        self, method: str, path: str, payload: bytes | None, headers: dict[str, str], seconds: float
    ) -> Answer:
        link = self._connection(seconds)
        try:
            link.request(method, path, payload, headers)
            return _whole(link.getresponse())
        finally:
            link.close()

    def _headers(self, method: str) -> dict[str, str]:
        headers = {"User-Agent": f"argosy-cli/{__version__}", "Accept": "application/json"}
        if self._context.key:
            headers["Authorization"] = self._context.key
        if self._cookie:
            headers |= {"Cookie": self._cookie, "Origin": self._url}
        elif self._context.device and not self._context.key:
            headers["Cookie"] = self._context.device
        if method != "GET":
            headers["Idempotency-Key"] = os.urandom(16).hex()
        return headers

    def _connection(self, seconds: float) -> http.client.HTTPConnection:
        parts = urlsplit(self._url)
        host = parts.hostname or ""
        if parts.scheme == "http":
            return http.client.HTTPConnection(host, parts.port, timeout=seconds)
        try:
            trusted = ssl.create_default_context(cafile=self._context.ca or None)
        except OSError as error:  # SSLError is one: a file that is no certificate
            raise Failure(
                f"the certificate to trust cannot be read: {error.strerror or error}",
                where=self._context.ca, cure=f"argosy login {self._url} --ca FILE, with a PEM file", status=USAGE,
            ) from error  # fmt: skip
        return http.client.HTTPSConnection(host, parts.port, timeout=seconds, context=trusted)

    def _unreachable(self, error: Exception) -> Failure:
        if isinstance(error, ssl.SSLCertVerificationError):
            return Failure(
                f"the certificate of {self._url} is not trusted: {error.verify_message}",
                cure=f"argosy login {self._url} --ca FILE trusts that certificate", status=UNAVAILABLE,
            )  # fmt: skip
        if isinstance(error, ssl.SSLError):
            why, cure = f"it does not speak TLS ({error.reason or error})", "try http:// instead of https://"
        elif isinstance(error, TimeoutError):
            why, cure = "it did not answer in time", "try again; on its machine: argosy status"
        else:
            why = getattr(error, "strerror", None) or str(error) or "the connection broke"
            cure = "check the URL; on its machine: argosy status"
        return Failure(f"{self._url} cannot be reached: {why}", cure=cure, status=UNAVAILABLE)

    def _failure(self, answer: Answer, *, signing_in: bool = False) -> Failure:
        status = status_of(answer.status)
        try:
            body = json.loads(answer.data)
            message, cure, context = str(body["message"]), str(body.get("cure", "")), body.get("context", {})
            message += f": {body['detail']}" if body.get("detail") else ""
            where = str(context.get("field", ""))
            seconds = context.get("retry_after")
        except (ValueError, LookupError, TypeError, AttributeError):
            return self._foreign(answer, status)
        if answer.status >= 500:
            where = f"request {body.get('request_id', '')}"
        if status == TOO_MANY and seconds:
            cure = f"try again in {seconds} s"
        if status == NOT_SIGNED_IN and not signing_in:
            own = self._context.name == ENVIRONMENT
            cure = "set ARGOSY_API_KEY to a key that is good" if own else f"argosy login {self._url}"
        return Failure(message, where=where, cure=cure, status=status)

    def _foreign(self, answer: Answer, status: int) -> Failure:
        """Something else answers there: another program, or a proxy on the way."""
        cure = f"it points to {answer.location}: use that URL" if answer.location else "check the URL"
        return Failure(
            f"{self._url} answered {answer.status} {answer.reason}", cure=cure, status=status or FAILED
        )


def _whole(answer: http.client.HTTPResponse) -> Answer:
    cookies = tuple(set_.partition(";")[0] for set_ in answer.headers.get_all("set-cookie", ()))
    return Answer(answer.status, answer.reason, answer.read(), cookies, answer.getheader("location") or "")


def _with_query(path: str, query: Query) -> str:
    told = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value not in (None, "")
    }
    return f"{path}?{urlencode(told)}" if told else path


def segment(text: str) -> str:
    return quote(text, safe="")

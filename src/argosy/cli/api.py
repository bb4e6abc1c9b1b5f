"""One request to the platform over the standard library's client: nothing to import that costs time."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argosy import __version__
from argosy.cli.contexts import Context
from argosy.cli.failures import FAILED, NOT_SIGNED_IN, UNAVAILABLE, USAGE, Failure, status_of

Json = Any  # what JSON can be
SECONDS = 30.0
_CHUNK = 65_536


class Api:
    def __init__(self, context: Context, *, cookie: str = "", idempotency_key: str = "") -> None:
        self._context, self._cookie, self._idempotency_key = context, cookie, idempotency_key

    def get(self, path: str, **query: str | int | bool | None) -> Json:
        return self._json("GET", _with_query(path, query))

    def post(self, path: str, body: Json = None) -> Json:
        return self._json("POST", path, {} if body is None else body)

    def patch(self, path: str, body: Json) -> Json:
        return self._json("PATCH", path, body)

    def delete(self, path: str) -> Json:
        return self._json("DELETE", path)

    def pages(
        self, path: str, *, most: int | None, **query: str | int | bool | None
    ) -> tuple[list[Json], bool]:
        """Items up to `most` (None: all), and whether there are more."""
        items: list[Json] = []
        after = ""
        while True:
            limit = 200 if most is None else min(200, most - len(items))
            page = self.get(path, limit=limit, after=after or None, **query)
            items += page["items"]
            after = page["next"]
            if not after or (most is not None and len(items) >= most):
                return items, bool(after)

    def download(self, path: str, **query: str | int | bool | None) -> Iterator[bytes]:
        link, answer = self._send("GET", _with_query(path, query), None)
        try:
            if answer.status != 200:
                raise _failure(answer, answer.read(), self._context)
            while chunk := answer.read(_CHUNK):
                yield chunk
        finally:
            link.close()

    def sign_in(self, email: str, password: str) -> str:
        """The session cookie."""
        link, answer = self._send("POST", "/api/auth/login", {"email": email, "password": password})
        try:
            body = answer.read()
            if answer.status != 200:
                raise _failure(answer, body, self._context)
            return (answer.getheader("set-cookie") or "").partition(";")[0]
        finally:
            link.close()

    def _json(self, method: str, path: str, body: Json = None) -> Json:
        link, answer = self._send(method, path, body)
        try:
            data = answer.read()
        finally:
            link.close()
        if answer.status != 200:
            raise _failure(answer, data, self._context)
        try:
            return json.loads(data)
        except ValueError as error:
            raise Failure(f"{self._context.url} does not answer like Argosy", cure="check the URL") from error

    def _send(
        self, method: str, path: str, body: Json
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        link = self._connection()
        headers = {"User-Agent": f"argosy-cli/{__version__}", "Accept": "application/json"}
        if self._context.key:
            headers["Authorization"] = self._context.key
        if self._cookie:
            headers |= {"Cookie": self._cookie, "Origin": self._context.url}
        if self._idempotency_key and method != "GET":
            headers["Idempotency-Key"] = self._idempotency_key
        payload = None
        if body is not None:
            payload, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        try:
            link.request(method, path, payload, headers)
            return link, link.getresponse()
        except ssl.SSLCertVerificationError as error:
            raise Failure(
                f"the certificate of {self._context.url} is not trusted: {error.verify_message}",
                cure="argosy login URL --ca FILE trusts that certificate", status=UNAVAILABLE,
            ) from error  # fmt: skip
        except (OSError, http.client.HTTPException, socket.gaierror) as error:
            raise Failure(
                f"{self._context.url} cannot be reached: {error}",
                cure="argosy status; or check the URL",
                status=UNAVAILABLE,
            ) from error

    def _connection(self) -> http.client.HTTPConnection:
        parts = urlsplit(self._context.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Failure(
                f"{self._context.url!r} is not a URL", cure="for example http://127.0.0.1:8080", status=USAGE
            )
        try:
            port = parts.port
        except ValueError as error:
            raise Failure(f"{self._context.url!r}: {error}", status=USAGE) from error
        if parts.scheme == "http":
            return http.client.HTTPConnection(parts.hostname, port, timeout=SECONDS)
        trusted = ssl.create_default_context(cafile=self._context.ca or None)
        return http.client.HTTPSConnection(parts.hostname, port, timeout=SECONDS, context=trusted)


def _with_query(path: str, query: dict[str, str | int | bool | None]) -> str:
    told = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in query.items()
        if value not in (None, "")
    }
    return f"{path}?{urlencode(told)}" if told else path


def segment(text: str) -> str:
    return quote(text, safe="")


def _failure(answer: http.client.HTTPResponse, data: bytes, context: Context) -> Failure:
    status = status_of(answer.status)
    try:
        body = json.loads(data)
        message, cure = str(body["message"]), str(body.get("cure", ""))
        request_id = str(body.get("request_id", "")) if answer.status >= 500 else ""
    except (ValueError, KeyError, TypeError):
        return Failure(f"{context.url} answered {answer.status} {answer.reason}", status=status or FAILED)
    if status == NOT_SIGNED_IN:
        cure = f"argosy login {context.url}"
    return Failure(message, cure=cure, status=status, request_id=request_id)

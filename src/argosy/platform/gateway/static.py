"""The built UI: hashed files for ever, the page itself always fresh, nothing outside the folder."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from argosy.platform.gateway.packing import takes_gzip

_UI = Path(__file__).parent / "ui"
_MISSING = """<!doctype html><meta charset="utf-8"><title>Argosy</title>
<p>The web pages are not built in this checkout. Run <code>make setup</code>, then start again.</p>"""


@dataclass(frozen=True, slots=True)
class _File:
    plain: bytes
    zipped: bytes | None
    media_type: str


class StaticFiles:
    """Read once at start: the files are few and small, and a request can then name only what was there."""

    def __init__(self, folder: Path = _UI) -> None:
        self._files = {
            "/" + path.relative_to(folder).as_posix(): _read(path)
            for path in folder.rglob("*")
            if path.is_file() and path.suffix != ".gz"
        }

    def answer(self, request: Request) -> Response:
        path: str = request.scope["path"]  # as it came: `request.url` is put together with the Host header
        found = self._files.get(path)
        if found is None and path.startswith("/assets/"):
            return Response("not found", 404, media_type="text/plain")
        if found is None or path == "/index.html":
            return self._page(request)
        lasting = path.startswith("/assets/")
        return _respond(
            request, found, "public, max-age=31536000, immutable" if lasting else "public, max-age=600"
        )

    def _page(self, request: Request) -> Response:
        """Every other path is the UI's to route: deep links answer the page."""
        page = self._files.get("/index.html")
        if page is None:
            return HTMLResponse(_MISSING, 503)
        return _respond(request, page, "no-cache")


def _read(path: Path) -> _File:
    zipped = path.with_name(path.name + ".gz")
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return _File(path.read_bytes(), zipped.read_bytes() if zipped.exists() else None, kind)


def _respond(request: Request, file: _File, cache: str) -> Response:
    headers = {"cache-control": cache, "vary": "accept-encoding"}
    if file.zipped is not None and takes_gzip(request.headers.get("accept-encoding", "")):
        headers["content-encoding"] = "gzip"
        return Response(file.zipped, media_type=file.media_type, headers=headers)
    return Response(file.plain, media_type=file.media_type, headers=headers)

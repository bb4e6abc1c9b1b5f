"""Answers that are no objects: documents and short texts."""

from __future__ import annotations

import msgspec

from argosy.kube.wire import Response


def json_answer(document: object, *, media: str = "application/json") -> Response:
    return Response(
        200, {"content-type": media, "cache-control": "no-cache, private"}, msgspec.json.encode(document)
    )


def text_answer(text: str) -> Response:
    return Response(200, {"content-type": "text/plain; charset=utf-8"}, text.encode())

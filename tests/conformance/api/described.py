"""The OpenAPI document as the gateway serves it, made without a running platform: tests are named after its operations."""

from __future__ import annotations

from typing import Any

import schemathesis

from argosy import __version__
from argosy.kit.web.openapi import document
from argosy.platform.gateway.routes import openapi_entries

DOCUMENT: dict[str, Any] = document(openapi_entries(), version=__version__, url="http://127.0.0.1:8080")
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
ENDLESS = "/api/audit/follow"  # a stream says nothing for as long as nothing happens
FUZZED = SCHEMA.exclude(path=ENDLESS)

"""Secrets in structured data, by the name of the field that holds them: for audit entries, events and dumps.

`kit.log` masks text by the shape of the secret; this masks by name, at any depth, base64 forms included since
the whole value goes.
"""

from __future__ import annotations

import re
from typing import Any

from argosy.kit.log import MASK, mask_text

_SECRET_FIELD = re.compile(
    r"(^|_|-)(password|passwd|secret|token|api_?key|private_key|cookie|authorization|password_hash)$",
    re.IGNORECASE,
)


def masked(value: Any) -> Any:  # JSON in, JSON out
    match value:
        case dict():
            return {
                name: MASK
                if _SECRET_FIELD.search(name) and inner not in (None, "", [], {})
                else masked(inner)
                for name, inner in value.items()
            }
        case list() | tuple():
            return [masked(inner) for inner in value]
        case str():
            return mask_text(value)
        case _:
            return value

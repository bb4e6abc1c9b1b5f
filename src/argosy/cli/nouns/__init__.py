"""The things one can get, create and delete: one module each, with a `NOUN`; `argosy.cli.resources` does the rest."""

from __future__ import annotations

import importlib
from typing import cast

from argosy.cli.resources import Noun

# spelling on the command line → module
NAMES = {
    "users": "users",
    "teams": "teams",
    "service-accounts": "service_accounts",
    "api-keys": "api_keys",
    "access-rules": "access_rules",
    "accounts": "accounts",
    "audit": "audit",
}
SINGULAR = {name: (name.removesuffix("s")) for name in NAMES}


def spelled(word: str) -> str:
    """`team` and `teams` are the same noun; also `apikey`, as hasty fingers write it."""
    plain = word.replace("-", "").replace("_", "").lower()
    for name in NAMES:
        if plain in (name.replace("-", ""), SINGULAR[name].replace("-", "")):
            return name
    return ""


def load(name: str) -> Noun:
    return cast(Noun, importlib.import_module(f"argosy.cli.nouns.{NAMES[name]}").NOUN)

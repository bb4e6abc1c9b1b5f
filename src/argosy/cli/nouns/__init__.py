"""The things one can get, create and delete: one module each, with a `NOUN`; `argosy.cli.resources` does the rest."""

from __future__ import annotations

import importlib
from typing import cast

from argosy.cli.catalogue import NOUNS
from argosy.cli.resources import Noun


def spelled(word: str) -> str:
    """`team` and `teams` are the same noun; also `apikey`, as hasty fingers write it."""
    plain = word.replace("-", "").replace("_", "").lower()
    for name in NOUNS:
        whole = name.replace("-", "")
        if plain in (whole, whole.removesuffix("s")):
            return name
    return ""


def load(name: str) -> Noun:
    return cast(Noun, importlib.import_module(f"argosy.cli.nouns.{NOUNS[name]}").NOUN)

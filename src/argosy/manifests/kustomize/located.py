"""Errors say where: the file and the field of the kustomization that is to blame."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from argosy.kit.errors import BadRequest
from argosy.manifests.tree import SourceError


class Located(SourceError):
    """Says its file already; whoever passes it on adds nothing."""


class InField(SourceError):
    """Says its field; the file is still to come."""


@contextmanager
def located(field: str) -> Iterator[None]:
    try:
        yield
    except (Located, InField):
        raise
    except SourceError as error:
        raise InField(f"{field}: {error}") from error


@contextmanager
def in_file(file: str) -> Iterator[None]:
    try:
        yield
    except Located:
        raise
    except SourceError as error:
        raise Located(f"{file}: {error}") from error
    except BadRequest as error:
        raise Located(f"{file}: {error.message}") from error
    except RecursionError as error:
        raise Located(f"{file}: nested too deeply") from error


@contextmanager
def leading(words: str) -> Iterator[None]:
    """Upstream's words in front of what is not located yet."""
    try:
        yield
    except (Located, InField):
        raise
    except SourceError as error:
        raise SourceError(f"{words}: {error}") from error

"""The methods that values of templates have: those of times and of versions that people use."""

from __future__ import annotations

from collections.abc import Mapping

from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.sprig import dates, versions
from argosy.domain.templates.values import Moment

METHODS: Mapping[type, Mapping[str, Implementation]] = {
    Moment: dates.METHODS,
    versions.Version: versions.METHODS,
}

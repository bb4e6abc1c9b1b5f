"""Versions by how settled they are: `v2` before `v1`, both before `v1beta1`, and that before `v1alpha1`; then what is no version."""

from __future__ import annotations

import re

_FORM = re.compile(r"v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?", re.ASCII)
_STAGES = {None: 0, "beta": 1, "alpha": 2}


def priority(version: str) -> tuple[int, int, int, str]:
    found = _FORM.fullmatch(version)
    if found is None:
        return 3, 0, 0, version
    return _STAGES[found[2]], -int(found[1]), -int(found[3] or 0), version

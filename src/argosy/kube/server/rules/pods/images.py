"""Of an image's name, the one thing that defaults ask for: its tag."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_COMPONENT: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_PATH: Final = f"{_COMPONENT}(?:/{_COMPONENT})*"
_HOST: Final = (
    r"(?:(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*"
    r"|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
)
_DIGEST: Final = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_reference = re.compile(
    rf"((?:{_HOST}/)?{_PATH})(?::([\w][\w.-]{{0,127}}))?(?:@({_DIGEST}))?", re.ASCII
).fullmatch
_LONGEST: Final = 1024


@lru_cache(maxsize=1024)
def is_latest(image: str) -> bool:
    """Whether it is to be pulled each time: tagged `latest`, or neither with a tag nor with a digest. What is no image's
    name at all is not."""
    if len(image) > _LONGEST:
        return False
    found = _reference(image)
    if found is None:
        return False
    return found[2] == "latest" or (found[2] is None and found[3] is None)

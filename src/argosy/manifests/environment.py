"""The variables that sources may use: whose manifests these are, and of which revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

_VARIABLE = re.compile(r"\$(?:\{([^}]*)(\}?)|([*#$@!?\-0-9])|([A-Za-z_][A-Za-z0-9_]*))")
OF_REVISION: Final = frozenset(
    {"ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8"}
)


class Environment(Mapping[str, str]):
    """`used` is filled as values are asked for: who uses the revision renders anew for each one, who uses the application's name for each of those."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self.used: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.used.add(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def substitute(self, text: str) -> str:
        """`$NAME` and `${NAME}` as Go's `os.Expand`: unknown names are nothing, and `$$` is a dollar."""
        return _VARIABLE.sub(self._value, text) if "$" in text else text

    def _value(self, found: re.Match[str]) -> str:
        inside, closed, special, plain = found.groups()
        if inside is not None and not closed:
            return inside  # an opening without an end is swallowed
        name = inside or special or plain or ""
        return "$" if name == "$" else self.get(name, "")


def variables(
    *,
    application: str,
    namespace: str,
    project: str,
    revision: str,
    url: str,
    path: str,
    target_revision: str,
) -> dict[str, str]:
    return {
        "ARGOCD_APP_NAME": application,
        "ARGOCD_APP_NAMESPACE": namespace,
        "ARGOCD_APP_PROJECT_NAME": project,
        "ARGOCD_APP_REVISION": revision,
        "ARGOCD_APP_REVISION_SHORT": revision[:7],
        "ARGOCD_APP_REVISION_SHORT_8": revision[:8],
        "ARGOCD_APP_SOURCE_REPO_URL": url,
        "ARGOCD_APP_SOURCE_PATH": path,
        "ARGOCD_APP_SOURCE_TARGET_REVISION": target_revision,
    }

"""The variables that sources may use: whose manifests these are, and of which revision."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_VARIABLE = re.compile(r"\$(?:\$|\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))")
_OF_REVISION = frozenset({"ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8"})


@dataclass(slots=True)
class Environment:
    """`used` is filled as values are asked for: who uses the revision renders anew for each one."""

    values: Mapping[str, str]
    used: set[str] = field(default_factory=set)

    def substitute(self, text: str) -> str:
        """`$NAME` and `${NAME}`; unknown names are nothing, and `$$` is a dollar."""
        return _VARIABLE.sub(self._value, text) if "$" in text else text

    @property
    def depends_on_revision(self) -> bool:
        return bool(self.used & _OF_REVISION)

    def _value(self, found: re.Match[str]) -> str:
        name = found.group(1) if found.group(1) is not None else found.group(2)
        if name is None:
            return "$"
        self.used.add(name)
        return self.values.get(name, "")


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

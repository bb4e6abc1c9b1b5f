"""The exemptions from house rules: few, each with its reason, none of them stale.

`tools.rules` and `tools.sizes` ask `Exemptions.allows` for each finding and report what was never asked for.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from tools.steps import ROOT

FILE = ROOT / "tools" / "exemptions.toml"


@dataclass
class Exemptions:
    rule: str
    reasons: dict[str, str]
    used: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, rule: str, file: Path = FILE) -> Exemptions:
        return cls(rule, tomllib.loads(file.read_text()).get(rule, {}))

    def allows(self, path: str, name: str = "") -> bool:
        for key in (path, f"{path}::{name}"):
            if len(self.reasons.get(key, "").split()) >= 3:
                self.used.add(key)
                return True
        return False

    def stale(self) -> list[str]:
        return [
            f"{FILE.name}: [{self.rule}] {key!r} is not needed any more, or gives no reason"
            for key in self.reasons
            if key not in self.used
        ]

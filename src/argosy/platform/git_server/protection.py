"""May this push move this ref? Pure decisions; `pushing` asks them before git changes anything.

The default branch can be neither removed nor rewritten, whatever rules say; for others the rules that match decide, and where several
match, all must agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from argosy.contracts.git_server import Protection
from argosy.domain.access.globs import any_glob_test
from argosy.kit.calls import Principal
from argosy.kit.git.names import NO_COMMIT, is_ref_name

BRANCHES = "refs/heads/"
TAGS = "refs/tags/"
_SPACES = (BRANCHES, TAGS, "refs/notes/")


@dataclass(frozen=True, slots=True)
class Update:
    ref: str
    before: str
    after: str

    @property
    def creates(self) -> bool:
        return self.before == NO_COMMIT

    @property
    def deletes(self) -> bool:
        return self.after == NO_COMMIT

    @property
    def moves(self) -> bool:
        """Both ends exist, so it may lose commits."""
        return not self.creates and not self.deletes

    @property
    def name(self) -> str:
        return next(
            (self.ref.removeprefix(space) for space in _SPACES if self.ref.startswith(space)), self.ref
        )


@dataclass(frozen=True, slots=True)
class Rules:
    default_branch: str
    protections: Sequence[Protection] = ()

    def matching(self, update: Update) -> list[Protection]:
        if not update.ref.startswith((BRANCHES, TAGS)):
            return []
        return [rule for rule in self.protections if any_glob_test((rule.pattern,))(update.name)]

    def guards(self, ref: str) -> bool:
        return ref == f"{BRANCHES}{self.default_branch}" or bool(self.matching(Update(ref, "", "")))


def refused(update: Update, rules: Rules, who: Principal, *, forward: bool) -> str:
    """Why not, or "". `forward`: no commit that the ref had is lost."""
    if not update.ref.startswith(_SPACES) or not is_ref_name(update.ref) or not is_ref_name(update.name):
        return f"{update.ref} is neither a branch nor a tag"
    if update.ref == f"{BRANCHES}{rules.default_branch}":
        if update.deletes:
            return f"{update.name} is the default branch and cannot be deleted"
        if update.moves and not forward:
            return f"{update.name} is the default branch: its history cannot be rewritten"
    for rule in rules.matching(update):
        if rule.pushers and not {who.id, *who.teams} & set(rule.pushers):
            return f"{update.name} is protected: you are not among those who may push to it"
        if update.deletes and not rule.deletion:
            return f"{update.name} is protected and cannot be deleted"
        if update.moves and not forward and not rule.force:
            return f"{update.name} is protected: its history cannot be rewritten"
    return ""


def needs_history(update: Update, rules: Rules) -> bool:
    """Whether it matters if the move loses commits; only then is git asked."""
    return update.moves and rules.guards(update.ref)

"""The swap of a restored directory with the old one: it may die at any step and still ends in the new state."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.host.backup.staging import PARTS, finish_interrupted, scratch_of, stage_of, swap_in
from argosy.host.paths import DataDir

CLUSTERS = "clusters"


class Killed(BaseException):
    """kill -9, as far as a test can have it."""


def fill(root: Path, content: str, parts: tuple[str, ...]) -> None:
    root.mkdir()
    for part in parts:
        (root / part).mkdir()
        (root / part / "content").write_text(content)


def state(root: Path) -> dict[str, str]:
    return {path.name: (path / "content").read_text() for path in root.iterdir() if path.name != "run"}


def dying_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real, done = Path.rename, 0

    def rename(self: Path, target: Path) -> Path:
        nonlocal done
        done += 1
        if done == step:
            raise Killed
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)


@pytest.mark.parametrize("brought", [PARTS, ("postgres", "secrets")])
@pytest.mark.parametrize("present", [PARTS, (), ("postgres", "anchors")])
@pytest.mark.parametrize("step", range(1, 13))
def test_after_any_crash_the_next_start_has_all_of_the_new_or_all_of_the_old(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: int,
    present: tuple[str, ...],
    brought: tuple[str, ...],
) -> None:
    data = DataDir(tmp_path / "argosy")
    fill(data.root, "old", present)
    fill(stage_of(data).root, "new", brought)

    with monkeypatch.context() as patched:
        dying_at(step, patched)
        try:
            swap_in(data)
            died = False
        except Killed:
            died = True

    assert finish_interrupted(data) is died
    expected = dict.fromkeys(present, "old") if step == 1 else dict.fromkeys(brought, "new")
    if CLUSTERS in present and CLUSTERS not in brought:  # a backup from before they were in backups
        expected[CLUSTERS] = "old"
    assert state(data.root) == expected
    assert not finish_interrupted(data)


def test_a_killed_rehearsal_is_cleared_away(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "argosy")
    fill(data.root, "old", PARTS)
    fill(scratch_of(data).root, "copy", PARTS)

    assert finish_interrupted(data)
    assert state(data.root) == dict.fromkeys(PARTS, "old")


def test_without_an_interrupted_restore_there_is_nothing_to_finish(tmp_path: Path) -> None:
    data = DataDir(tmp_path / "argosy")
    fill(data.root, "old", PARTS)

    assert not finish_interrupted(data)
    assert state(data.root) == dict.fromkeys(PARTS, "old")

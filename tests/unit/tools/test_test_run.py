"""`make test`: a failed judge fails the run, stops nothing, and the output still ends on pytest's summary."""

import sys
from pathlib import Path

import pytest

from tools import browser, lint, programs, test
from tools.lint import Judge


def program(*, says: str, status: int) -> tuple[str, ...]:
    return (sys.executable, "-c", f"print({says!r}); raise SystemExit({status})")


@pytest.fixture
def judges(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Judge]:
    given: list[Judge] = []
    monkeypatch.setattr(lint, "judges", lambda: given)
    monkeypatch.setattr(programs, "ensure", lambda: "")
    return given


def test_every_judge_speaks_even_when_one_fails(
    judges: list[Judge], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    judges += [
        Judge("strict", program(says="line 3 is wrong", status=1), tmp_path),
        Judge("kind", program(says="not worth reading", status=0), tmp_path),
        Judge("talkative", program(says="median 80 lines", status=0), tmp_path, speaks=True),
    ]

    failed = lint.judge_all()

    said = capsys.readouterr().out
    assert failed == ["strict"]
    assert "line 3 is wrong" in said
    assert "median 80 lines" in said
    assert "not worth reading" not in said


def test_a_judge_that_is_not_installed_has_failed(judges: list[Judge], tmp_path: Path) -> None:
    judges.append(Judge("absent", (str(tmp_path / "nothing-here"),), tmp_path))

    assert lint.judge_all() == ["absent"]


@pytest.mark.parametrize(
    ("judge_status", "pytest_status", "run_fails"), [(0, 0, False), (1, 0, True), (0, 1, True), (1, 1, True)]
)
def test_the_run_fails_when_a_judge_or_a_test_fails(
    judges: list[Judge],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    judge_status: int,
    pytest_status: int,
    run_fails: bool,
) -> None:
    judges.append(Judge("judge", program(says="x", status=judge_status), tmp_path))
    monkeypatch.setattr(test, "pytest", lambda _arguments, long: (pytest_status, ["== 1 passed =="]))

    assert (test.main([]) != 0) is run_fails


def test_a_missing_browser_fails_in_ci_and_is_told_elsewhere(
    judges: list[Judge], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(programs, "ensure", lambda: "no chromium: sudo apt-get install chromium")
    monkeypatch.setattr(test, "pytest", lambda _arguments, long: (0, ["== 1 passed =="]))

    monkeypatch.setenv("CI", "true")
    assert test.main([]) == 1
    monkeypatch.delenv("CI")
    assert test.main([]) == 0

    assert "will be skipped: no chromium" in capsys.readouterr().out


def test_pytest_runs_last_and_its_summary_is_the_last_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_one.py").write_text("def test_one(): pass\n")
    monkeypatch.setattr(test, "ROOT", tmp_path)
    monkeypatch.setattr(test, "_WORKERS", ["-p", "no:xdist"])

    status, last = test.pytest([str(tmp_path), "-p", "no:cacheprovider", "-c", "/dev/null"], long=False)

    assert status == 0
    assert "1 passed" in last[-1]
    assert capsys.readouterr().out.rstrip().splitlines()[-1] == last[-1]


def test_a_browser_that_was_named_and_is_not_there_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(browser.SETTING, str(tmp_path / "chromium"))

    assert browser.find() is None


def test_only_what_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    there = programs.Program("there", lambda: True)

    assert programs.ensure([there]) == ""
    said = programs.ensure([there, programs.on_path("fish"), programs.on_path("zsh")])

    assert said.startswith("no fish and zsh, and no apt-get to install them")
    assert browser.SETTING in said

"""The size report: what it counts, what it fails, and that exemptions do not outlive their need."""

from pathlib import Path

import pytest

from tools.exemptions import Exemptions
from tools.sizes import FUNCTIONS, Limit, Size, functions_of, report

FILES = Limit("files", (), warn=4, fail=5)


def no_exemptions() -> Exemptions:
    return Exemptions("sizes", {})


def test_a_file_over_the_hard_limit_fails(capsys: pytest.CaptureFixture[str]) -> None:
    failed = report(FILES, [Size("a.py", "", 1, 6), Size("b.py", "", 1, 2)], no_exemptions())

    assert failed
    assert "too long (at most 5): a.py: 6 lines" in capsys.readouterr().out


def test_a_file_between_the_limits_is_only_named(capsys: pytest.CaptureFixture[str]) -> None:
    failed = report(FILES, [Size("a.py", "", 1, 5)], no_exemptions())

    assert not failed
    assert "long: a.py: 5 lines" in capsys.readouterr().out


def test_the_report_tells_median_and_95th_percentile(capsys: pytest.CaptureFixture[str]) -> None:
    report(FILES, [Size(f"{lines}.py", "", 1, lines) for lines in (1, 2, 3)], no_exemptions())

    assert "files: 3, median 2, p95 3, longest 3 lines" in capsys.readouterr().out


def test_a_function_is_measured_from_its_def_to_its_last_line() -> None:
    source = "class C:\n    async def long(self):\n        a = 1\n\n        return a\n"

    assert list(functions_of("c.py", source)) == [Size("c.py", "long", 2, 4)]


def test_an_exemption_with_a_reason_lets_a_long_function_stand() -> None:
    exemptions = Exemptions("sizes", {"a.py::parse": "one table of states, read as one"})
    size = Size("a.py", "parse", 1, FUNCTIONS.fail + 1)

    assert not report(FUNCTIONS, [size], exemptions)
    assert exemptions.stale() == []


def test_an_exemption_without_a_reason_does_not_count() -> None:
    exemptions = Exemptions("sizes", {"a.py": "because"})

    assert report(FILES, [Size("a.py", "", 1, 9)], exemptions)


def test_an_exemption_nobody_needs_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "exemptions.toml"
    file.write_text('[sizes]\n"gone.py" = "it was long once upon a time"\n')
    exemptions = Exemptions.of("sizes", file)
    report(FILES, [Size("a.py", "", 1, 1)], exemptions)

    assert len(exemptions.stale()) == 1
    assert "gone.py" in exemptions.stale()[0]

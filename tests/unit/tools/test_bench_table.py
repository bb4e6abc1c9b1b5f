"""The bench table and the report of the long tests: readable, and never hiding a failure."""

from pathlib import Path

import pytest

from tools import bench, test
from tools.bench import measure, table


def test_the_table_is_markdown_with_aligned_columns() -> None:
    lines = table([("up to healthy", "1.9 s", "≤ 5 s")]).splitlines()

    assert lines[0].startswith("| What ")
    assert len({len(line) for line in lines}) == 1


def test_a_benchmark_that_raises_is_reported_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench.importlib, "import_module", lambda _name: int("not a module"))

    assert measure(tmp_path / "bench_broken.py") is None
    assert "invalid literal" in capsys.readouterr().err


def test_the_long_report_ends_with_pytests_summary_and_names_failures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(test, "REPORTS", tmp_path)
    output = ["....", "FAILED tests/a.py::test_b - boom", "== 1 failed, 3 passed in 2.0s =="]

    written = test.write_report(["ruff"], output, 120).read_text()

    assert "- judges: failed: ruff" in written
    assert "- tests: 1 failed, 3 passed in 2.0s" in written
    assert "FAILED tests/a.py::test_b - boom" in written

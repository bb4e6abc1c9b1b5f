"""A wrong command line is told in two lines, whatever version of Python parses it."""

from __future__ import annotations

import pytest

from argosy.kit.arguments import Parser


@pytest.fixture
def parser() -> Parser:
    top = Parser(prog="argosy thing")
    top.add_argument("--limit", type=int)
    top.add_argument("--form", choices=("wide", "narrow"))
    inner = top.add_subparsers(dest="task", required=True, metavar="ACTION")
    inner.add_parser("verify").add_argument("--deep", choices=("yes", "no"))
    export = inner.add_parser("export")
    export.add_argument("file", metavar="FILE")
    export.add_argument("--force", action="store_true")
    return top


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "error: ACTION is missing\ndo: argosy thing with one of: verify, export\n"),
        (["export"], "error: FILE is missing\ndo: argosy thing export --help shows what it takes\n"),
        (["export", "a", "--forse"], "error: there is no option '--forse'\ndo: did you mean --force?\n"),
        (["export", "a", "--zzz=1"],
         "error: there is no option '--zzz=1'\ndo: argosy thing export --help lists the options\n"),
        (["export", "a", "b"],
         "error: one word too many: 'b'\ndo: argosy thing export --help shows what it takes\n"),
        (["--form", "round"],
         "error: --form: 'round' is not one of: wide, narrow\ndo: argosy thing with one of: verify, export\n"),
        (["verify", "--deep"],
         "error: --deep needs a value\ndo: argosy thing verify --help shows what it takes\n"),
        (["--limit", "many"],
         "error: --limit: 'many' is not a whole number\ndo: argosy thing with one of: verify, export\n"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_says_what_and_what_to_do(
    parser: Parser, words: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == told


def test_an_abbreviated_option_is_not_guessed(parser: Parser, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser.parse_args(["export", "a", "--forc"])
    assert "did you mean --force?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "following"),
    [
        ([], ["--help", "--limit", "--form", "verify", "export"]),
        (["--form"], ["wide", "narrow"]),
        (["--form", "="], ["wide", "narrow"]),
        (["--limit"], []),
        (["verify"], ["--help", "--deep"]),
        (["verify", "--deep"], ["yes", "no"]),
        (["export", "a"], ["--help", "--force"]),
    ],
)
def test_it_knows_what_can_follow(parser: Parser, words: list[str], following: list[str]) -> None:
    assert parser.following(words) == following

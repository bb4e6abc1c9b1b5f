"""The command line itself: verbs, nouns, help, completion, and how commands end."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from argosy.cli import catalogue, nouns, parsers
from argosy.cli.complete import candidates
from argosy.cli.failures import EXIT_CODES, Failure, status_of
from argosy.cli.main import main
from argosy.cli.nouns.access_rules import condition
from argosy.cli.verbs.access import pair
from tests import needs

EVERYTHING = [(verb, name) for verb in catalogue.RESOURCE_VERBS for name in parsers.able(verb)]


@pytest.fixture(autouse=True)
def nobody_signed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARGOSY_URL", "ARGOSY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ARGOSY_CONFIG", str(tmp_path / "config.json"))


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("team", "teams"), ("teams", "teams"), ("apikey", "api-keys"), ("api_keys", "api-keys"),
        ("API-Key", "api-keys"), ("serviceaccount", "service-accounts"), ("audit", "audit"),
        ("te", ""), ("", ""), ("s", ""),
    ],
)  # fmt: skip
def test_a_thing_has_forgiving_spellings(word: str, name: str) -> None:
    assert nouns.spelled(word) == name


@pytest.mark.parametrize(
    ("words", "first", "cure"),
    [
        (["gett"], "there is no verb 'gett'", "did you mean `argosy get`?"),
        (["fly"], "there is no verb 'fly'", "argosy --help lists the verbs"),
        (["get"], "get what?", "things: users, teams"),
        (["get", "--search", "x"], "get what?", "things: users"),
        (["get", "userz"], "there is no thing 'userz'", "did you mean users?"),
        (["get", "rockets"], "there is no thing 'rockets'", "things: users"),
        (["delete", "audit"], "argosy cannot delete audit", "things: users"),
        (["delete", "accounts", "a"], "argosy cannot delete accounts", "things: users"),
        (["login", "localhost"], "'localhost' is not a URL", "write it with http://"),
        (["login", "http://a", "--api-key", "k", "--email", "e"], "--api-key and a password", "give one"),
    ],
)
def test_a_wrong_command_ends_with_two_and_a_way_on(
    words: list[str], first: str, cure: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    told = capsys.readouterr()
    lines = told.err.splitlines()
    assert told.out == ""
    assert len(lines) <= 3
    assert lines[0].startswith(f"error: {first}")
    assert lines[-1].startswith(f"do: {cure}")


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_help_lists_every_verb_and_every_exit_code(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 0
    told = capsys.readouterr().out
    for verb in (*catalogue.HOST_VERBS, *catalogue.RESOURCE_VERBS, *catalogue.VERBS):
        assert re.search(rf"^  {verb} ", told, re.MULTILINE), verb
    assert EXIT_CODES in told


@pytest.mark.parametrize("verb", catalogue.VERBS)
def test_each_verb_has_help_with_examples_that_parse(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["help", verb])
    assert ended.value.code == 0
    assert "examples:\n  argosy " in capsys.readouterr().out
    for example in parsers.verb_named(verb).EXAMPLES:
        first, *rest = _words(example)
        assert first == verb
        parsers.verb_parser(verb).parse_args(rest)


@pytest.mark.parametrize(("verb", "name"), EVERYTHING)
def test_each_thing_has_help_with_examples_that_parse(
    verb: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["help", verb, name])
    assert ended.value.code == 0
    examples = re.findall(r"^  argosy (.+)$", capsys.readouterr().out.partition("examples:")[2], re.MULTILINE)
    assert examples
    for example in examples:
        words = _words(example)
        noun = parsers.noun_named(words[0], words[1:])
        parsers.resource_parser(words[0], noun).parse_args(words[2:])


def _words(example: str) -> list[str]:
    import shlex

    return shlex.split(re.split(" [<>] ", example)[0])


@pytest.mark.parametrize(
    ("words", "some", "none"),
    [
        ([], {"get", "up", "login", "help"}, {"users"}),
        (["get"], {"users", "api-keys", "audit"}, {"--help"}),
        (["create"], {"users", "api-keys"}, {"audit"}),
        (["get", "users"], {"--role", "--search", "--output"}, {"--team"}),
        (["get", "users", "--role"], {"admin", "user"}, {"--output"}),
        (["create", "team", "x", "-o"], {"table", "json", "yaml"}, set()),
        (["delete", "api-key"], {"--yes", "--everyone"}, {"--expires-days"}),
        (["config"], {"get-contexts", "use-context"}, set()),
        (["audit", "verify"], {"--output"}, {"--format"}),
        (["completion"], {"bash", "zsh", "fish"}, set()),
        (["help"], {"get", "up"}, {"help"}),
        (["fly"], set(), {"get"}),
    ],
)
def test_completion_offers_what_can_follow(words: list[str], some: set[str], none: set[str]) -> None:
    found = set(candidates(words))
    assert some <= found
    assert not none & found


def test_completion_knows_the_contexts_of_this_machine(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"current": "a", "contexts": {"a": {"url": "http://a"}}}')
    assert candidates(["config", "use-context"]) == ["a"]
    assert candidates(["get", "users", "--context"]) == ["a"]


def test_a_damaged_file_does_not_disturb_completion(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    assert candidates(["config", "use-context"]) == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_is_good_shell(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    done = subprocess.run([needs.program(shell), "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes_what_is_half_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    fake = tmp_path / "argosy"
    fake.write_text('#!/bin/sh\necho "$*" > ' + str(tmp_path / "asked") + "\nprintf 'users\\nteams\\n'\n")
    fake.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f'{script}\nCOMP_WORDS=(argosy get te); COMP_CWORD=2; _argosy; echo "${{COMPREPLY[*]}}"'],
        capture_output=True, text=True, check=True, env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
    )  # fmt: skip
    assert done.stdout.strip() == "teams"
    assert (tmp_path / "asked").read_text().strip() == "__complete get"


@pytest.mark.parametrize(
    ("text", "attribute", "key", "values"),
    [
        ("NAMESPACE=prod-*", "NAMESPACE", "", ["prod-*"]),
        ("NAMESPACE=a,b", "NAMESPACE", "", ["a", "b"]),
        ("LABEL:tier=web", "LABEL", "tier", ["web"]),
        ("LABEL:url=a=b", "LABEL", "url", ["a=b"]),
    ],
)
def test_a_condition_is_an_attribute_and_its_values(
    text: str, attribute: str, key: str, values: list[str]
) -> None:
    assert condition(text) == {"attribute": attribute, "key": key, "values": values}


@pytest.mark.parametrize("text", ["NAMESPACE", "=a", "NAMESPACE=", ":key=a", "", "NAMESPACE=a,,b"])
def test_a_condition_without_a_value_is_refused(text: str) -> None:
    with pytest.raises(Failure, match="is not ATTRIBUTE=VALUE"):
        condition(text)


def test_a_pair_needs_a_name_and_a_value() -> None:
    assert pair("a=b=c") == ("a", "b=c")
    for text in ("a", "=b"):
        with pytest.raises(Failure, match="is not NAME=VALUE"):
            pair(text)


@pytest.mark.parametrize(
    ("http", "status"),
    [
        (400, 13),
        (401, 10),
        (403, 11),
        (404, 12),
        (409, 13),
        (422, 13),
        (429, 14),
        (500, 1),
        (503, 15),
        (418, 1),
    ],
)
def test_each_http_status_has_its_exit_status(http: int, status: int) -> None:
    assert status_of(http) == status
    assert re.search(rf"^  {status}  +\S", EXIT_CODES, re.MULTILINE)


def test_a_failure_is_at_most_three_plain_lines() -> None:
    lines = Failure("bad\nname \x1b[2J", where="field\r\nname", cure="do\nthis").lines()
    assert len(lines) == 3
    assert all(line.isprintable() for line in lines)

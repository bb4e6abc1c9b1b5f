"""The file with somebody's sign-ins: private, whole, and never a riddle when it is not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from threading import Thread

import pytest

from argosy.cli import contexts
from argosy.cli.contexts import Context
from argosy.cli.failures import NOT_FOUND, NOT_SIGNED_IN, USAGE, Failure


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("ARGOSY_URL", "ARGOSY_API_KEY", "ARGOSY_CA"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "deep" / "config.json"
    monkeypatch.setenv("ARGOSY_CONFIG", str(path))
    return path


def remember(*names: str) -> None:
    for name in names:
        with contexts.changing() as kept:
            kept.known[name] = Context(name, f"http://{name}", "a-key", "an-id")
            kept.current = name


def test_what_was_saved_is_loaded() -> None:
    remember("one", "two")
    assert contexts.active() == Context("two", "http://two", "a-key", "an-id")
    assert contexts.active("one").url == "http://one"


def test_only_its_owner_can_read_it_or_its_folder(kept: Path) -> None:
    before = os.umask(0)
    try:
        remember("one")
    finally:
        os.umask(before)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


def test_a_file_that_was_open_to_all_is_closed_by_the_next_change(kept: Path) -> None:
    remember("one")
    kept.chmod(0o644)
    remember("two")
    assert kept.stat().st_mode & 0o777 == 0o600


def test_a_change_that_fails_halfway_leaves_the_old_file(kept: Path) -> None:
    remember("one")
    before = kept.read_bytes()

    def halfway() -> None:
        with contexts.changing() as found:
            found.known.clear()
            raise RuntimeError("killed here")

    with pytest.raises(RuntimeError):
        halfway()
    assert kept.read_bytes() == before


def test_a_draft_that_a_crash_left_does_not_stand_in_the_way(kept: Path) -> None:
    remember("one")
    kept.with_name(kept.name + ".new").write_text("half")
    remember("two")
    assert set(contexts.load().known) == {"one", "two"}
    assert sorted(path.name for path in kept.parent.iterdir()) == ["config.json", "config.json.lock"]


def test_two_changes_at_once_are_both_remembered() -> None:
    names = [f"p{number}" for number in range(20)]
    threads = [Thread(target=remember, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(contexts.load().known) == set(names)


def test_a_link_to_the_file_stays_a_link(kept: Path, tmp_path: Path) -> None:
    real = tmp_path / "real.json"
    real.write_text('{"current": "", "contexts": {}}')
    kept.parent.mkdir()
    kept.symlink_to(real)
    remember("one")
    assert kept.is_symlink()
    assert "one" in json.loads(real.read_text())["contexts"]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "\x00\x01", '{"current": "a"}', '{"contexts": {}}', '{"current": "", "contexts": []}',
        '{"current": "a", "contexts": {"a": {}}}', '{"current": "a", "contexts": {"a": "http://a"}}',
        '{"current": "a", "contexts": {"a": {"url": 1}}}', '{"current": "a", "contexts": {"a": {"url": "x", "key": []}}}',
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_the_cure(kept: Path, text: str) -> None:
    kept.parent.mkdir()
    kept.write_text(text)
    with pytest.raises(Failure) as told:
        contexts.active()
    assert told.value.lines() == [
        "error: the file with your sign-ins is damaged",
        f"where: {kept}",
        "do: remove it, then: argosy login URL",
    ]


def test_what_a_newer_version_wrote_beside_is_left_alone(kept: Path) -> None:
    kept.parent.mkdir()
    kept.write_text('{"current": "a", "new": 1, "contexts": {"a": {"url": "http://a", "colour": "red"}}}')
    assert contexts.active() == Context("a", "http://a")


def test_a_place_that_cannot_be_written_is_told_before_a_key_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ARGOSY_CONFIG", str(tmp_path / "file" / "config.json"))
    with pytest.raises(Failure, match="cannot be written"):
        contexts.check_writable()


def test_nobody_is_signed_in_at_first() -> None:
    with pytest.raises(Failure, match="nobody is signed in") as told:
        contexts.active()
    assert told.value.status == NOT_SIGNED_IN


def test_an_unknown_context_is_not_found() -> None:
    with pytest.raises(Failure) as told:
        contexts.active("prod")
    assert told.value.status == NOT_FOUND


def test_the_environment_wins_over_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("one")
    monkeypatch.setenv("ARGOSY_URL", "https://ci.example.com/")
    monkeypatch.setenv("ARGOSY_API_KEY", "ci-key\n")
    assert contexts.active() == Context("(environment)", "https://ci.example.com", "ci-key")
    assert contexts.active("one").key == "a-key"


def test_a_key_without_a_url_in_the_environment_is_no_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("one")
    monkeypatch.setenv("ARGOSY_API_KEY", "ci-key")
    with pytest.raises(Failure, match="not ARGOSY_URL"):
        contexts.active()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("https://argosy.example.com/settings/users?q=a#b", "https://argosy.example.com"),
        (" http://[::1]:8080/ ", "http://[::1]:8080"),
    ],
)
def test_what_was_copied_out_of_a_browser_is_a_platform(url: str, origin: str) -> None:
    assert contexts.origin(url) == origin


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8080",
        "localhost",
        "ftp://a",
        "http://",
        "http://a:x",
        "http://a:99999",
        "http://[::1",
        "//a",
    ],
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(Failure, match="is not a URL") as told:
        contexts.origin(url)
    assert told.value.status == USAGE


def test_a_password_in_a_url_is_refused() -> None:
    with pytest.raises(Failure, match="must not hold a password") as told:
        contexts.origin("http://me:secret@a")
    assert "secret" not in "".join(told.value.lines())

"""Addresses: only HTTP and SSH, no options, no programs, and no password in what is handed on."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kit.git.addresses import local, parse
from argosy.kit.git.failing import GitFailed


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org/team/app.git", "https://example.org/team/app.git"),
        ("https://user:secret@example.org:8443/app", "https://example.org:8443/app"),
        ("http://127.0.0.1:3000/git/acme/app.git", "http://127.0.0.1:3000/git/acme/app.git"),
        ("ssh://git@example.org:2222/team/app.git", "ssh://git@example.org:2222/team/app.git"),
        ("git@example.org:team/app.git", "ssh://git@example.org/team/app.git"),
        ("example.org:app", "ssh://example.org/app"),
        ("git@[::1]:app", "ssh://git@[::1]/app"),
        ("https://[::1]:8080/app", "https://[::1]:8080/app"),
    ],
)
def test_addresses_that_people_write_are_understood(text: str, url: str) -> None:
    assert parse(text).url == url


@pytest.mark.parametrize(
    "text",
    ["", "-oProxyCommand=x", "--upload-pack=x", "ext::sh -c id", "ext::sh", "fd::17", "file:///etc", "/etc", "../x", "x",
     "git://example.org/x", "ftp://example.org/x", "https://", "https://-host/x", "ssh://-oProxyCommand=id/x",
     "ssh://-u@host/x", "git@-host:x", "-u@host:x", "https://host/x?y=1", "https://host/x#y", "https://host",
     "https://ho st/x", "https://host/x\n", "https://host:99999/x", "ssh://host/-x", "host:-x", "https::https://x/y",
     "https://a:b%0ac@host/x", "https://" + "x" * 3000],
)  # fmt: skip
def test_what_is_no_repository_or_a_trick_is_refused(text: str) -> None:
    with pytest.raises(GitFailed) as refused:
        parse(text)
    assert refused.value.code == "git.address"


def test_a_password_in_an_address_is_kept_apart_and_never_shown() -> None:
    address = parse("https://ada:s3cret%40x@example.org/app")
    assert (address.user, address.password) == ("ada", "s3cret@x")
    assert "s3cret" not in address.url + address.shown + address.origin
    with pytest.raises(GitFailed) as refused:
        parse("ftp://ada:s3cret@example.org/app")
    assert "s3cret" not in str(refused.value)


def test_a_folder_is_an_address_only_when_our_own_code_says_so() -> None:
    assert local(Path("/srv/app.git")).url == "/srv/app.git"
    with pytest.raises(GitFailed):
        local(Path("app.git"))


@given(st.text(max_size=60))
def test_whatever_is_accepted_gives_git_no_option_and_no_program(text: str) -> None:
    try:
        url = parse(text).url
    except GitFailed:
        return
    assert url.startswith(("https://", "http://", "ssh://"))
    assert not url.partition("://")[2].startswith("-")
    assert parse(url).url == url

"""Which Secret signs in where: the exact one, else the template with the longest beginning; and whose project may use it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from argosy.argo.cd.repositories.credentials import (
    LABEL,
    REPOSITORY,
    TEMPLATE,
    Credentials,
    Repository,
    normalised,
    shown,
)
from argosy.kit.git.failing import GitFailed


def secret(name: str, kind: str = REPOSITORY, /, **data: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {LABEL: kind}},
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()},
    }


def credentials(*secrets: dict[str, Any]) -> Credentials:
    found = Credentials()
    for one in secrets:
        found.changed(None, one)
    return found


WEB = "https://git.example/team/web.git"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("https://git.example/a", "https://git.example/a.git"),
        ("https://git.example/a", "https://git.example/a/"),
        ("https://Git.Example/A", "https://git.example/a"),
        ("https://me@git.example/a", "https://git.example/a"),
        ("git@git.example:a/b.git", "ssh://git@git.example/a/b"),
        ("git+ssh://git.example/a", "ssh://git.example/a"),
    ],
)
def test_two_ways_to_write_one_address_are_the_same(left: str, right: str) -> None:
    assert normalised(left) == normalised(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("https://git.example/a", "https://git.example/ab"),
        ("https://git.example/a", "http://git.example/a"),
        ("https://git.example:8443/a", "https://git.example/a"),
        ("https://git.example/a", "ssh://git.example/a"),
    ],
)
def test_other_addresses_are_others(left: str, right: str) -> None:
    assert normalised(left) != normalised(right)


def test_the_secret_of_the_very_repository_goes_before_templates() -> None:
    found = credentials(
        secret("web", url=WEB, username="exact", password="x"),
        secret("all", TEMPLATE, url="https://git.example", username="all", password="x"),
    )
    assert found.find("https://git.example/team/web", "default").username == "exact"
    assert found.find("https://git.example/team/api", "default").username == "all"
    assert found.find("https://other.example/team/web", "default") == Repository(
        "https://other.example/team/web"
    )


def test_of_templates_the_longest_beginning_wins() -> None:
    found = credentials(
        secret("all", TEMPLATE, url="https://git.example/", username="all"),
        secret("team", TEMPLATE, url="https://git.example/team/", username="team"),
    )
    assert found.find(WEB, "default").username == "team"
    assert found.find("https://git.example/x", "default").username == "all"


def test_a_repository_without_credentials_takes_them_from_a_template_and_keeps_the_rest() -> None:
    found = credentials(
        secret("web", url=WEB, name="web", insecure="true", type="helm"),
        secret("all", TEMPLATE, url="https://git.example", bearerToken="t", proxy="http://proxy.example"),
    ).find(WEB, "default")
    assert (found.form, found.name, found.insecure) == ("helm", "web", True)
    assert (found.bearer_token, found.proxy, found.secret) == ("t", "http://proxy.example", "all")


def test_a_secret_of_a_project_is_for_that_project_alone() -> None:
    found = credentials(
        secret("mine", url=WEB, username="mine", project="shop"),
        secret("ours", url=WEB, username="ours"),
        secret("theirs", url="https://git.example/x", username="theirs", project="shop"),
    )
    assert found.find(WEB, "shop").username == "mine"
    assert found.find(WEB, "other").username == "ours"
    assert found.find("https://git.example/x", "other").username == ""


def test_repositories_are_found_by_their_name() -> None:
    found = credentials(secret("charts", url="https://charts.example", name="stable", type="helm"))
    named = found.named("stable")
    assert named is not None
    assert named.url == "https://charts.example"
    assert found.named("other") is None
    assert [one.secret for one in found] == ["charts"]


def test_a_change_is_told_from_none() -> None:
    found = Credentials()
    before, after = secret("web", url=WEB, username="a"), secret("web", url=WEB, username="b")
    assert found.changed(None, before)
    assert not found.changed(before, {**before, "metadata": {**before["metadata"], "resourceVersion": "9"}})
    assert found.changed(before, after)
    assert found.changed(after, secret("web", TEMPLATE, url=WEB, username="b"))
    assert found.changed(after, None)
    assert found.find(WEB, "default").username == ""


@pytest.mark.parametrize("value", ["%%%", base64.b64encode(b"\xff\xfe").decode()])
def test_a_secret_that_cannot_be_read_is_named_without_its_content(value: str) -> None:
    found = credentials({"metadata": {"name": "web", "labels": {LABEL: REPOSITORY}}, "data": {"url": value}})
    (problem,) = found.problems.values()
    assert problem.startswith("the Secret web describes no repository: ")
    assert value not in problem
    found.changed(None, secret("web", url=WEB))
    assert not found.problems


@pytest.mark.parametrize("field", ["githubAppPrivateKey", "gcpServiceAccountKey", "useAzureWorkloadIdentity"])
def test_ways_to_sign_in_that_are_not_supported_are_named_when_they_are_needed(field: str) -> None:
    found = credentials(
        secret("web", url=WEB, **{field: "true"}),
        secret("all", TEMPLATE, url="https://git.example", username="all"),
    )
    with pytest.raises(GitFailed, match=f"{field} of the Secret web is not supported"):
        found.remote(found.find(WEB, "default"))


def test_a_remote_has_what_the_secret_and_the_config_maps_say() -> None:
    found = credentials(secret("web", url=WEB, password="token", proxy="http://p", noProxy="x"))
    found.configured("argocd-ssh-known-hosts-cm", {"ssh_known_hosts": "git.example ssh-ed25519 AAAA"})
    found.configured("argocd-tls-certs-cm", {"git.example": "PEM", "other.example": "OTHER"})
    remote = found.remote(found.find(WEB, "default"))
    assert remote.login is not None
    assert (remote.login.user, remote.login.password) == ("x-access-token", "token")
    assert (remote.authority, remote.known_hosts) == ("PEM", "git.example ssh-ed25519 AAAA")
    assert (remote.proxy, remote.no_proxy) == ("http://p", "x")


@pytest.mark.parametrize("url", ["ext::sh -c id", "file:///etc", "/etc", "-oProxyCommand=id", "fd::3", ""])
def test_addresses_that_must_not_be_gone_to_are_refused(url: str) -> None:
    found = Credentials()
    with pytest.raises(GitFailed):
        found.remote(found.find(url, "default"))


def test_nothing_that_is_printed_has_a_password() -> None:
    found = credentials(secret("web", url=WEB, username="me", password="hunter2", sshPrivateKey="KEY"))
    assert "hunter2" not in repr(found.find(WEB, "default"))
    assert "KEY" not in repr(found.find(WEB, "default"))
    assert shown("https://me:hunter2@git.example/a?token=x") == "https://git.example/a"
    assert shown("git@git.example:a") == "git@git.example:a"

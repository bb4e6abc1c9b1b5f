"""How Git is run: nothing of the machine's configuration, no secret where others could read it, and an end for everything started."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from argosy.kit.git import running
from argosy.kit.git.addresses import local, parse
from argosy.kit.git.environment import environment
from argosy.kit.git.failing import Failure, GitFailed, explain
from argosy.kit.git.remotes import Login, Remote, reaching
from tests.git_repository import Work

SECRET = "s3cret-of-ada"


async def test_a_failure_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(GitFailed) as failed:
        await running.run("ls-remote", "--", str(tmp_path), remote=Remote(local(tmp_path)))
    assert failed.value.code == Failure.NOT_FOUND
    assert failed.value.cure


@pytest.mark.parametrize("url", ["ext::sh -c touch${IFS}ran", "file:///tmp", "/tmp", "fd::0"])
async def test_no_protocol_is_spoken_that_was_not_allowed_for_this_call(url: str) -> None:
    with pytest.raises(GitFailed) as failed:
        await running.run("ls-remote", "--", url)
    assert failed.value.code == Failure.REFUSED
    with pytest.raises(GitFailed) as failed:
        await running.run("ls-remote", "--", url, remote=Remote(parse("https://example.org/x")))
    assert failed.value.code == Failure.REFUSED


async def test_a_deadline_ends_git_and_its_children(tmp_path: Path, work: Work) -> None:
    mark = tmp_path / "pid"
    alias = {"alias.wait": f"!sh -c 'echo $$ > {mark}; exec sleep 600'"}
    with pytest.raises(GitFailed) as failed:
        await running.run("wait", settings=alias, seconds=1.0)
    assert failed.value.code == Failure.DEADLINE
    child = int(mark.read_text())
    with pytest.raises(ProcessLookupError):
        await _gone(child)


async def test_a_cancelled_call_ends_git_too(tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    alias = {"alias.wait": f"!sh -c 'echo $$ > {mark}; exec sleep 600'"}
    task = asyncio.create_task(running.run("wait", settings=alias))
    while not (mark.exists() and mark.read_text().strip()):
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        await _gone(int(mark.read_text()))


async def _gone(pid: int) -> None:
    for _ in range(500):
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
            raise ProcessLookupError
        await asyncio.sleep(0.01)


async def test_more_output_than_the_limit_is_refused(work: Work) -> None:
    work.commit({"big": "x" * 200_000})
    with pytest.raises(GitFailed) as failed:
        await running.run("cat-file", "blob", "HEAD:big", repository=work.folder / ".git", limit=100_000)
    assert failed.value.code == Failure.TOO_LARGE


async def test_hooks_monitors_and_configuration_of_a_repository_do_nothing(
    work: Work, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    hook = work.folder / ".git/hooks/reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {ran}\n")
    hook.chmod(0o755)
    commit = work.commit({".gitattributes": "* filter=evil diff=evil\n", "a": "1"})
    assert ran.exists(), "the hook would run without us"
    ran.unlink()
    for key in (
        "core.fsmonitor",
        "diff.external",
        "filter.evil.smudge",
        "diff.evil.textconv",
        "core.sshCommand",
    ):
        work.git("config", key, f"touch {ran}")
    other = work.commit({"a": "2"})
    ran.unlink(missing_ok=True)
    git = work.folder / ".git"
    await running.run("update-ref", "refs/heads/x", commit, repository=git)
    await running.run("diff-tree", "-p", commit, other, repository=git)
    await running.run("cat-file", "blob", f"{other}:a", repository=git)
    with pytest.raises(GitFailed):
        await running.run(
            "ls-remote", "--", "ssh://127.0.0.1:1/x", remote=Remote(parse("ssh://127.0.0.1:1/x"))
        )
    assert not ran.exists()


def test_nothing_of_this_users_environment_comes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GIT_DIR",
        "GIT_TRACE",
        "GIT_SSH",
        "GIT_EXEC_PATH",
        "GIT_CONFIG_PARAMETERS",
        "AWS_SECRET_ACCESS_KEY",
    ):
        monkeypatch.setenv(name, "/tmp/x")
    found = environment()
    assert not {
        "GIT_DIR",
        "GIT_TRACE",
        "GIT_SSH",
        "GIT_EXEC_PATH",
        "GIT_CONFIG_PARAMETERS",
        "AWS_SECRET_ACCESS_KEY",
    } & set(found)
    assert found["GIT_ALLOW_PROTOCOL"] == "none"


@pytest.mark.parametrize(
    "remote",
    [
        Remote(parse(f"https://ada:{SECRET}@example.org/x")),
        Remote(parse("https://example.org/x"), login=Login("ada", SECRET)),
        Remote(parse("https://example.org/x"), proxy=f"http://ada:{SECRET}@proxy.example.org:3128"),
        Remote(parse("git@example.org:x"), ssh_key=SECRET, known_hosts="example.org ssh-ed25519 AAAA"),
        Remote(parse("https://example.org/x"), certificate="public", certificate_key=SECRET),
    ],
)
def test_secrets_stand_in_private_files_and_nowhere_else(remote: Remote) -> None:
    with reaching(remote) as reach:
        env = environment(protocols=reach.protocols, settings=reach.settings, variables=reach.variables)
        assert SECRET not in repr(env)
        assert SECRET not in remote.address.url
        named = [
            Path(file) for value in env.values() for file in re.findall(r"/[^ ';=]*argosy-git-[^ ';]+", value)
        ]
        private = [file for file in named if file.is_file()]
        assert any(SECRET in file.read_text() for file in private)
        assert all(
            file.stat().st_mode & 0o077 == 0 and file.parent.stat().st_mode & 0o077 == 0 for file in private
        )
    assert not any(file.exists() for file in private)


def test_credentials_answer_only_for_the_address_they_were_given_for() -> None:
    with reaching(Remote(parse("https://example.org/x"), login=Login("ada", SECRET))) as reach:
        assert [key for key in reach.settings if "helper" in key] == ["credential.https://example.org.helper"]


def test_a_line_break_cannot_smuggle_a_second_answer_to_git() -> None:
    evil = Remote(parse("https://example.org/x"), login=Login("ada", "x\nhost=evil.example"))
    with pytest.raises(GitFailed, match="line break"), reaching(evil):
        pass


def test_ssh_asks_nobody_and_reads_no_file_of_this_user() -> None:
    with reaching(Remote(parse("git@example.org:x"), ssh_key="k")) as reach:
        command = reach.variables["GIT_SSH_COMMAND"]
    for words in (
        "-F /dev/null",
        "BatchMode=yes",
        "StrictHostKeyChecking=yes",
        "IdentityAgent=none",
        "ProxyCommand=none",
    ):
        assert words in command


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("fatal: Authentication failed for 'https://x/'", Failure.AUTHENTICATION),
        ("fatal: could not read Username for 'https://x': terminal prompts disabled", Failure.AUTHENTICATION),
        (
            "git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.",
            Failure.AUTHENTICATION,
        ),
        ("The requested URL returned error: 403", Failure.AUTHENTICATION),
        ("remote: Repository not found.\nfatal: repository 'https://x/' not found", Failure.NOT_FOUND),
        ("fatal: unable to access 'https://x/': Could not resolve host: x", Failure.UNREACHABLE),
        ("ssh: connect to host x port 22: Connection timed out", Failure.UNREACHABLE),
        ("server certificate verification failed. CAfile: none CRLfile: none", Failure.TLS),
        ("SSL certificate problem: unable to get local issuer certificate", Failure.TLS),
        ("Host key verification failed.\nfatal: Could not read from remote repository.", Failure.HOST_KEY),
        ("fatal: couldn't find remote ref refs/heads/x", Failure.UNKNOWN_REVISION),
        ("fatal: remote error: upload-pack: not our ref 0123", Failure.UNKNOWN_REVISION),
        ("error: object file objects/aa/bb is empty\nfatal: loose object aabb is corrupt", Failure.DAMAGED),
        ("fatal: write error: No space left on device", Failure.NO_SPACE),
        ("fatal: something new", Failure.OTHER),
    ],
)
def test_what_git_says_becomes_a_stable_code(said: str, code: Failure) -> None:
    failed = explain(said, where="x", code=128)
    assert failed.code == code
    assert failed.cure


def test_what_git_repeats_of_a_url_is_masked() -> None:
    assert (
        SECRET
        not in explain(f"fatal: unable to access 'https://ada:{SECRET}@x/': boom", where="x", code=1).told
    )

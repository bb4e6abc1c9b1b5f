"""A copy of a repository elsewhere: up to date by the ref or as a whole, for many callers at once, and made anew when it is damaged."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argosy.kit.git.addresses import local, parse
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.history import branches, changes, commit, commits, is_ancestor, tags_of
from argosy.kit.git.listing import listing
from argosy.kit.git.mirror import Mirror
from argosy.kit.git.objects import Objects
from argosy.kit.git.reading import Reader
from argosy.kit.git.remotes import Remote
from argosy.kit.git.submodules import submodules
from argosy.kit.git.tree import GitTree
from tests.git_repository import Work


@pytest.fixture
def mirror(work: Work, tmp_path: Path) -> Mirror:
    return Mirror(tmp_path / "mirror.git", Remote(local(work.folder)), seconds=30)


async def test_everything_is_fetched_and_what_is_gone_goes(work: Work, mirror: Mirror) -> None:
    first = work.commit({"a": "1"})
    work.git("branch", "feature")
    work.git("tag", "--annotate", "-m", "one", "v1")
    await mirror.fetch()
    assert await branches(mirror.path) == {"refs/heads/main": first, "refs/heads/feature": first}
    work.git("branch", "-D", "feature")
    second = work.commit({"a": "2"})
    await mirror.fetch()
    assert await branches(mirror.path) == {"refs/heads/main": second}
    assert await tags_of(mirror.path, first) == ["v1"]


@pytest.mark.parametrize(
    "revision", ["main", "refs/heads/main", "HEAD", "", "v1", "refs/tags/v1", "hash", "short"]
)
async def test_every_way_of_naming_a_commit_is_understood(work: Work, mirror: Mirror, revision: str) -> None:
    made = work.commit({"a": "1"})
    work.git("tag", "--annotate", "-m", "one", "v1")
    await mirror.fetch()
    asked = {"hash": made, "short": made[:8]}.get(revision, revision)
    assert await mirror.resolve(asked) == made
    if revision != "short":
        assert (await mirror.refs()).find(asked) == made


async def test_a_branch_goes_before_a_tag_of_the_same_name_and_before_a_hash(
    work: Work, mirror: Mirror
) -> None:
    tagged = work.commit({"a": "1"})
    work.git("tag", "both")
    made = work.commit({"a": "2"})
    work.git("branch", "both")
    work.git("branch", tagged[:8])
    await mirror.fetch()
    assert await mirror.resolve("both") == made == (await mirror.refs()).find("both")
    assert await mirror.resolve(tagged[:8]) == made


@pytest.mark.parametrize("revision", ["nope", "0" * 40, "abcdef0", "refs/heads/nope"])
async def test_what_is_not_there_says_so(work: Work, mirror: Mirror, revision: str) -> None:
    work.commit({"a": "1"})
    await mirror.fetch()
    with pytest.raises(GitFailed) as failed:
        await mirror.resolve(revision)
    assert failed.value.code == Failure.UNKNOWN_REVISION


@pytest.mark.parametrize("revision", ["-x", "--all", "a b", "main^{/x}", "main~1", ":/x", "a..b"])
async def test_a_revision_is_a_name_and_no_expression(mirror: Mirror, revision: str) -> None:
    with pytest.raises(GitFailed) as failed:
        await mirror.resolve(revision)
    assert failed.value.code == Failure.NAME


async def test_a_repository_without_a_commit_is_no_mistake(mirror: Mirror) -> None:
    await mirror.fetch()
    assert (await mirror.refs()).commits == {}
    with pytest.raises(GitFailed) as failed:
        await mirror.resolve("HEAD")
    assert failed.value.code == Failure.UNKNOWN_REVISION


async def test_a_single_branch_and_a_single_commit_can_be_fetched(work: Work, mirror: Mirror) -> None:
    first = work.commit({"a": "1"})
    work.git("checkout", "--quiet", "-b", "other")
    second = work.commit({"a": "2"})
    await mirror.fetch("refs/heads/main")
    assert await branches(mirror.path) == {"refs/heads/main": first}
    await mirror.ensure(second)
    assert await mirror.has(second)
    with pytest.raises(GitFailed) as failed:
        await mirror.ensure("1" * 40)
    assert failed.value.code == Failure.UNKNOWN_REVISION
    with pytest.raises(GitFailed) as failed:
        await mirror.fetch("refs/heads/nope")
    assert failed.value.code == Failure.UNKNOWN_REVISION


async def test_a_shallow_copy_renders_and_goes_on(work: Work, mirror: Mirror) -> None:
    for number in range(5):
        made = work.commit({"a": str(number)})
    await mirror.ensure(made, ref="refs/heads/main", depth=1)
    assert len(await commits(mirror.path, include=made)) == 1
    later = work.commit({"a": "later"})
    await mirror.ensure(later, ref="refs/heads/main", depth=1)
    with Reader(mirror.path) as reader:
        assert GitTree(reader, later).read("a") == b"later"
    assert await changes(mirror.path, made, later) == {"a": "changed"}


async def test_many_callers_at_once_all_get_what_they_asked_for(work: Work, mirror: Mirror) -> None:
    made = work.commit({"a": "1"})
    other = Mirror(mirror.path, mirror.remote, seconds=30)
    refs = ["refs/heads/main"] * 5
    await asyncio.gather(
        *(mirror.fetch(ref) for ref in refs),
        *(other.fetch(ref) for ref in refs),
        mirror.fetch(),
        other.ensure(made),
    )
    assert await mirror.resolve("main") == made


async def test_who_asks_while_a_fetch_runs_gets_the_next_one(work: Work, mirror: Mirror) -> None:
    work.commit({"a": "1"})
    running = asyncio.Event()
    first = asyncio.create_task(mirror.fetch(told=lambda _: running.set()))
    await running.wait()
    made = work.commit({"a": "2"})
    await mirror.fetch()
    await first
    assert await mirror.resolve("main") == made


async def test_a_damaged_copy_is_made_anew(work: Work, mirror: Mirror) -> None:
    made = work.commit({"a": "1"})
    await mirror.fetch()
    for file in (mirror.path / "objects").rglob("*"):
        if file.is_file():
            file.chmod(0o600)
            file.write_bytes(b"")
    later = work.commit({"a": "2"})
    await mirror.fetch()
    assert await mirror.has(made)
    assert await mirror.resolve("main") == later


async def test_what_a_killed_git_left_locked_holds_nobody_up(work: Work, mirror: Mirror) -> None:
    work.commit({"a": "1"})
    await mirror.fetch()
    for lock in ("refs/heads/main.lock", "packed-refs.lock", "HEAD.lock", "shallow.lock"):
        (mirror.path / lock).touch()
    made = work.commit({"a": "2"})
    await Mirror(mirror.path, mirror.remote, seconds=30).fetch()
    assert await mirror.resolve("main") == made


async def test_a_fetch_that_outlived_its_parent_is_waited_for(
    work: Work, mirror: Mirror, tmp_path: Path
) -> None:
    work.commit({"a": "1"})
    held = mirror.path.with_name("mirror.git.lock")
    script = f"import fcntl,sys; f=open({str(held)!r},'w'); fcntl.flock(f,2); print('held',flush=True); sys.stdin.read()"
    pipe = asyncio.subprocess.PIPE
    orphan = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stdin=pipe, stdout=pipe)
    assert orphan.stdout is not None
    assert orphan.stdin is not None
    await orphan.stdout.readline()
    task = asyncio.create_task(mirror.fetch())
    done, _ = await asyncio.wait([task], timeout=0.2)
    assert not done
    orphan.stdin.close()
    await task
    await orphan.wait()
    with pytest.raises(GitFailed, match="another process"):
        await _while_locked(mirror)


async def _while_locked(mirror: Mirror) -> None:
    impatient = Mirror(mirror.path, mirror.remote, seconds=0.1)
    async with mirror._writing():
        await impatient.fetch()


async def test_more_than_the_limit_is_not_fetched(work: Work, tmp_path: Path) -> None:
    work.write({f"big{number}": os.urandom(1 << 20) for number in range(4)})
    work.commit()
    small = Mirror(tmp_path / "small.git", Remote(local(work.folder)), limit=1 << 20)
    with pytest.raises(GitFailed) as failed:
        await small.fetch()
    assert failed.value.code == Failure.TOO_LARGE, failed.value.told


async def test_housekeeping_keeps_everything_that_is_named(work: Work, mirror: Mirror) -> None:
    made = [work.commit({"a": str(number)}) for number in range(3)]
    await mirror.fetch()
    await mirror.collect()
    assert await mirror.has(made[0])
    assert await mirror.size() > 0
    await mirror.remove()
    assert not mirror.path.exists()


async def test_commits_tell_who_when_and_why(work: Work, mirror: Mirror) -> None:
    first = work.commit({"a": "1"}, "First\n\nwith a body")
    second = work.commit({"b/c": "2"}, "Sécond")
    await mirror.fetch()
    found = await commits(mirror.path, include=second)
    assert [one.oid for one in found] == [second, first]
    assert [one.oid for one in await commits(mirror.path, include=second, exclude=first)] == [second]
    assert [one.oid for one in await commits(mirror.path, include=second, path="b")] == [second]
    assert [one.oid for one in await commits(mirror.path, include=second, limit=1, skip=1)] == [first]
    told = await commit(mirror.path, first)
    assert (told.subject, told.message) == ("First", "First\n\nwith a body")
    assert (told.author.name, told.author.email) == ("Ada", "ada@example.org")
    assert told.author.date.isoformat() == "2023-11-15T00:13:20+02:00"
    assert (told.parents, told.signature) == ((), "")
    assert found[0].message == "Sécond"


async def test_a_signed_commit_says_so_and_its_message_stays_whole(
    work: Work, mirror: Mirror, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    await asyncio.to_thread(
        subprocess.run, ["ssh-keygen", "-qted25519", "-N", "", "-f", str(key)], check=True
    )
    work.git("config", "gpg.format", "ssh")
    work.git("config", "user.signingkey", str(key))
    work.git("commit", "--quiet", "--allow-empty", "-S", "-m", "Signed\n\nbody")
    await mirror.fetch()
    told = await commit(mirror.path, await mirror.resolve("main"))
    assert (told.signature, told.message) == ("ssh", "Signed\n\nbody")


async def test_changes_between_commits_name_every_path(work: Work, mirror: Mirror) -> None:
    first = work.commit({"a": "1", "b ä": "1", "dir/c": "1"})
    second = work.commit({"a": "2", "b ä": None, "new": "1"})
    await mirror.fetch()
    assert await changes(mirror.path, first, second) == {"a": "changed", "b ä": "removed", "new": "added"}
    assert await changes(mirror.path, "", first) == {"a": "added", "b ä": "added", "dir/c": "added"}
    assert await changes(mirror.path, first, first) == {}
    assert await is_ancestor(mirror.path, first, second)
    assert not await is_ancestor(mirror.path, second, first)
    assert not await is_ancestor(mirror.path, "1" * 40, first)


async def test_a_listing_holds_every_path_of_a_commit(work: Work, mirror: Mirror) -> None:
    work.link("link", "a")
    made = work.commit({"a": "1", "dir/ä b": "2"})
    await mirror.fetch()
    found = await listing(mirror.path, made)
    assert {path: entry.kind for path, entry in found.items()} == {
        "a": "file", "dir": "folder", "dir/ä b": "file", "link": "link",
    }  # fmt: skip
    assert list(await listing(mirror.path, made, "dir")) == ["dir/ä b"]


async def test_objects_are_served_one_by_one_and_survive_who_goes_away(work: Work, mirror: Mirror) -> None:
    made = work.commit({"big": b"x" * 1_000_000, "a": "1"})
    await mirror.fetch()
    entries = await listing(mirror.path, made)
    async with Objects(mirror.path) as objects:
        read = await asyncio.gather(*(objects.read(entries["a"].oid, "blob", 100) for _ in range(10)))
        assert read == [b"1"] * 10
        pieces = [len(piece) async for piece in objects.pieces(entries["big"].oid, 2_000_000)]
        assert sum(pieces) == 1_000_000
        assert max(pieces) <= 65536
        early = objects.pieces(entries["big"].oid, 2_000_000)
        await anext(early)
        await early.aclose()
        assert await objects.read(entries["a"].oid, "blob", 100) == b"1"
        with pytest.raises(GitFailed) as failed:
            await objects.read(entries["big"].oid, "blob", 100)
        assert failed.value.code == Failure.TOO_LARGE
        with pytest.raises(GitFailed) as failed:
            await objects.header("1" * 40)
        assert failed.value.code == Failure.UNKNOWN_REVISION
        assert (await objects.header(made)).type == "commit"


async def test_submodules_are_listed_with_their_addresses_judged(work: Work, mirror: Mirror) -> None:
    inner = work.commit({"lib": "1"})
    modules = work.blob(
        '[submodule "x"]\n\tpath = vendor/lib\n\turl = ../lib.git\n\tupdate = !touch /tmp/ran\n'
    )
    folder = work.git("rev-parse", f"{work.with_tree(('160000', inner, 'lib'))}^{{tree}}")
    outer = work.with_tree(("100644", modules, ".gitmodules"), ("40000", folder, "vendor"))
    work.git("branch", "outer", outer)
    await mirror.fetch()
    base = parse("https://example.org/team/app.git")
    (found,) = await submodules(mirror.path, outer, of=base)
    assert (found.path, found.address.url, found.commit) == (
        "vendor/lib",
        "https://example.org/team/lib.git",
        inner,
    )
    evil = work.blob('[submodule "x"]\n\tpath = vendor/lib\n\turl = ext::sh -c id\n')
    bad = work.with_tree(("100644", evil, ".gitmodules"), ("40000", folder, "vendor"))
    work.git("branch", "bad", bad)
    await mirror.fetch()
    with pytest.raises(GitFailed) as failed:
        await submodules(mirror.path, bad, of=base)
    assert failed.value.code == Failure.ADDRESS

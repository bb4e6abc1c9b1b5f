"""What a revision means, what is believed of a repository and for how long, and whom a push reaches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from argosy.argo.cd.repositories import git as module
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.mirror import Mirror
from argosy.kit.git.refs import Refs
from tests.git_repository import Work
from tests.unit.argo.cd.repositories.world import World

URL = "https://git.test/shop"


class Clock:
    """The loop's own, moved by hand."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return asyncio.get_running_loop().time() + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module, "_now", made)
    return made


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Each question to a repository elsewhere."""
    found: list[str] = []
    real = Mirror.refs

    async def counted(self: Mirror, *, seconds: float = 30) -> Refs:
        found.append(self.remote.address.shown)
        return await real(self, seconds=seconds)

    monkeypatch.setattr(Mirror, "refs", counted)
    return iter([found])


async def commit(world: World, revision: str = "", **said: object) -> str:
    return (await world.git.commit(URL, "default", revision, **said))[1]  # type: ignore[arg-type]


def released(work: Work) -> dict[str, str]:
    """A history with branches and tags of all kinds."""
    found = {"1": work.commit({"a": "1"}), "2": work.commit({"a": "2"}), "3": work.commit({"a": "3"})}
    work.git("tag", "v1.0.0", found["1"])
    work.git("tag", "--annotate", "--message=x", "v1.2.0", found["2"])
    work.git("tag", "web/v1.9.0", found["1"])
    work.git("tag", "web/2.0.0", found["2"])
    work.git("branch", "release/1", found["2"])
    work.git("branch", "v1.0.0", found["3"])
    work.git("update-ref", "refs/pull/7/head", found["1"])
    return found


@pytest.mark.parametrize(
    ("revision", "prefix", "which"),
    [
        ("", "", "3"),
        ("HEAD", "", "3"),
        ("main", "", "3"),
        ("release/1", "", "2"),
        ("refs/heads/release/1", "", "2"),
        ("v1.0.0", "", "3"),  # a branch goes before a tag of its name
        ("refs/tags/v1.0.0", "", "1"),
        ("v1.2.0", "", "2"),  # of an annotated tag the commit that it names
        ("refs/pull/7/head", "", "1"),
        ("pull/7/head", "", "1"),
        ("1.x", "", "2"),
        (">=1.0 <1.2", "", "1"),
        ("*", "", "2"),
        ("~1.0", "web/v", None),
        ("^1", "web/v", "1"),
        ("^2", "web/", "2"),
        ("2.0.0", "web/", "2"),
        ("1.9.0", "web/v", "1"),
    ],
)
async def test_a_revision_means_what_it_means_to_argo_cd(
    world: World, revision: str, prefix: str, which: str | None
) -> None:
    found = released(world.work())
    if which is None:
        with pytest.raises(GitFailed, match="no tag that fits"):
            await commit(world, revision, tag_prefix=prefix)
    else:
        assert await commit(world, revision, tag_prefix=prefix) == found[which]


async def test_a_hash_is_itself_whole_or_begun_in_small_or_capital_letters(world: World) -> None:
    first = released(world.work())["1"]
    for revision in (first, first.upper(), first[:7], first[:12].upper()):
        assert await commit(world, revision) == first


@pytest.mark.parametrize(
    "revision", ["gone", "refs/heads/gone", "9.x", "-x", "--upload-pack=id", "a..b", "x y"]
)
async def test_a_revision_that_is_not_there_is_said_and_nothing_is_fetched_for_it(
    world: World, revision: str
) -> None:
    released(world.work())
    with pytest.raises(GitFailed) as failed:
        await commit(world, revision)
    assert failed.value.code == Failure.UNKNOWN_REVISION
    assert f"unable to resolve '{revision}' to a commit SHA" in failed.value.message
    assert not list((world.folder / "git").glob("*.git"))


async def test_the_beginning_of_a_hash_that_nobody_has_is_said(world: World) -> None:
    released(world.work())
    with pytest.raises(GitFailed, match="has no branch, tag or commit 'abcdef0'"):
        await commit(world, "abcdef0")


async def test_an_answer_is_believed_for_a_while_and_not_by_who_wants_it_fresh(
    world: World, clock: Clock, looks: Iterator[list[str]]
) -> None:
    (found,) = looks
    work = world.work()
    first = work.commit({"a": "1"})
    assert await commit(world) == first
    second = work.commit({"a": "2"})
    assert await commit(world) == first
    assert len(found) == 1
    assert await commit(world, fresh=True) == second
    third = work.commit({"a": "3"})
    clock.ahead = 3600
    assert await commit(world) == third


async def test_who_ask_at_once_share_one_look(world: World, looks: Iterator[list[str]]) -> None:
    (found,) = looks
    world.work().commit({"a": "1"})
    await asyncio.gather(*(commit(world, fresh=True) for _ in range(50)))
    assert len(found) <= 2


async def test_a_failure_is_believed_as_well_so_that_a_dead_repository_is_not_asked_by_each_application(
    world: World, looks: Iterator[list[str]]
) -> None:
    (found,) = looks
    for _ in range(5):
        with pytest.raises(GitFailed):
            await commit(world)
    assert len(found) == 1
    with pytest.raises(GitFailed):
        await commit(world, fresh=True)
    assert len(found) == 2


async def test_a_push_that_is_announced_is_seen_at_once_and_told_on(tmp_path: Path) -> None:
    async with World(tmp_path, announcing=True) as world:
        work = world.work()
        first = work.commit({"a": "1"})
        assert await commit(world) == first
        second = work.commit({"a": "2"})
        assert await commit(world) == first
        world.git.announced("https://git.test/shop.git")
        assert world.pushed == ["https://git.test/shop.git"]
        assert await commit(world) == second


async def test_what_announces_is_never_polled(
    tmp_path: Path, clock: Clock, looks: Iterator[list[str]]
) -> None:
    (found,) = looks
    async with World(tmp_path, announcing=True) as world:
        first = world.work().commit({"a": "1"})
        assert await commit(world) == first
        assert world.git.next_check(URL) is None
        polling = asyncio.create_task(world.git.poll())
        clock.ahead = 100_000
        await world.git.commit("https://git.test/shop", "other", first)
        assert await commit(world) == first
        polling.cancel()
        await asyncio.wait({polling})
        assert len(found) == 1


async def test_what_cannot_announce_is_asked_when_it_is_due_and_a_change_is_told(
    world: World, clock: Clock
) -> None:
    work = world.work()
    work.commit({"a": "1"})
    await commit(world)
    due = world.git.next_check(URL)
    assert due is not None
    assert timedelta(0) < due - datetime.now(UTC) < timedelta(seconds=11)
    told = asyncio.Event()
    world.git._on_change = lambda _: told.set()
    second = work.commit({"a": "2"})
    clock.ahead = 11
    polling = asyncio.create_task(world.git.poll())
    async with asyncio.timeout(20):
        await told.wait()
    assert await commit(world) == second
    polling.cancel()
    await asyncio.wait({polling})


async def test_a_repository_that_nobody_uses_any_more_is_not_asked(
    world: World, clock: Clock, looks: Iterator[list[str]]
) -> None:
    (found,) = looks
    world.work().commit({"a": "1"})
    await commit(world)
    clock.ahead = 3600
    polling = asyncio.create_task(world.git.poll())
    for _ in range(20):
        await asyncio.sleep(0)
    polling.cancel()
    await asyncio.wait({polling})
    assert len(found) == 1


async def test_new_credentials_are_used_at_once(world: World, looks: Iterator[list[str]]) -> None:
    (found,) = looks
    with pytest.raises(GitFailed):
        await commit(world)
    first = world.work().commit({"a": "1"})
    world.git.forget()
    assert await commit(world) == first
    assert len(found) == 2


async def test_it_can_be_asked_whether_a_repository_answers(world: World) -> None:
    with pytest.raises(GitFailed):
        await world.git.answers(URL, "default")
    world.work().commit({"a": "1"})
    await world.git.answers(URL, "default")

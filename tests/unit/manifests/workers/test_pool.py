"""Workers are replaced when they take too long or die, leave nothing behind, and one's slow job is not another's."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from argosy.contracts.argo.source import Source
from argosy.manifests.jobs import Answer, Cleaned, Failed, Job, Jq, Render, Rendered
from argosy.manifests.places import Place
from argosy.manifests.programs import find_helm
from argosy.manifests.rendering import Chosen, Subject
from argosy.manifests.workers.pool import Pool, TookTooLong, WorkerDied
from argosy.manifests.workers.worker import _clear_what_a_crash_left
from tests import needs

QUICK = Jq({"kind": "A", "a": 1}, (".a",))
DONE = Cleaned({"kind": "A"})
ENDLESS = Jq({"a": 1}, ("last(repeat(.a))",))


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    made = Pool(patience=0.05)
    yield made
    await made.close()


def rendering(folder: Path, *, helm: str = "", seconds: float = 60) -> Render:
    return Render(
        place=Place(str(folder)),
        source=Source(repo_url="https://git.example/x", path="app"),
        subject=Subject(application="web", name="web", namespace="prod", environment={}),
        chosen=Chosen(helm=helm, seconds=seconds),
    )


def written(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def processes_with(word: str) -> list[int]:
    found = []
    for one in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if one.name.isdigit() and word in (one / "cmdline").read_text():
                found.append(int(one.name))
    return found


def children() -> dict[int, str]:
    """Of this process, with their state: `Z` would be one that nobody waits for."""
    found = {}
    for one in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if one.name.isdigit():
                state, parent = (one / "stat").read_text().rpartition(")")[2].split()[:2]
                if int(parent) == os.getpid():
                    found[int(one.name)] = state
    return found


async def until(true: object) -> None:
    async with asyncio.timeout(20):
        while not true():  # type: ignore[operator]
            await asyncio.sleep(0.01)


async def test_one_worker_does_many_jobs(pool: Pool) -> None:
    before = set(children())
    for _ in range(5):
        assert await pool.run(QUICK, seconds=30) == DONE
    assert len(set(children()) - before) == 1


async def test_a_job_that_does_not_end_is_stopped_and_the_next_one_is_done(pool: Pool) -> None:
    assert await pool.run(QUICK, seconds=30) == DONE
    with pytest.raises(TookTooLong, match=r"it did not end within 0\.2 s"):
        await pool.run(ENDLESS, seconds=0.2)
    assert await pool.run(QUICK, seconds=30) == DONE
    await pool.close()
    assert "Z" not in children().values()


async def test_endless_jsonnet_is_stopped(pool: Pool, tmp_path: Path) -> None:
    loop = "local f(n) = if n < 0 then n else f(n + 1) tailstrict; {kind: f(0)}"
    job = rendering(written(tmp_path, {"app/main.jsonnet": loop}))
    with pytest.raises(TookTooLong):
        await pool.run(job, seconds=0.5)


async def test_who_needs_too_much_memory_fails_alone(pool: Pool, tmp_path: Path) -> None:
    greedy = "local double(s, n) = if n == 0 then s else double(s + s, n - 1); {kind: double('xxxxxxxx', 30)}"
    job = rendering(written(tmp_path, {"app/main.jsonnet": greedy}))
    with contextlib.suppress(WorkerDied):  # or it says so itself
        assert isinstance(await pool.run(job, seconds=60), Failed)
    assert await pool.run(QUICK, seconds=30) == DONE


async def test_a_worker_that_dies_in_the_middle_is_noticed_and_replaced(pool: Pool) -> None:
    before = set(children())
    running = asyncio.create_task(pool.run(ENDLESS, seconds=60))
    await until(lambda: set(children()) - before)
    (worker,) = set(children()) - before
    await until(lambda: Path(f"/proc/{worker}/cmdline").read_text().count("argosy"))
    os.kill(worker, 9)
    with pytest.raises(WorkerDied, match="killed, probably for its memory|could be started"):
        await running
    assert await pool.run(QUICK, seconds=30) == DONE


async def test_helm_does_not_outlive_the_worker_that_started_it(pool: Pool, tmp_path: Path) -> None:
    helm = find_helm() or needs.absent("no helm on this machine")
    endless = "{{- range until 2000000000 }}{{ end }}kind: A"
    chart = written(
        tmp_path / "endless-chart",
        {"app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0", "app/templates/a.yaml": endless},
    )
    before = set(processes_with("--name-template"))
    running = asyncio.create_task(pool.run(rendering(chart, helm=helm), seconds=60))
    await until(lambda: set(processes_with("--name-template")) - before)
    running.cancel()
    await asyncio.wait({running})
    await until(lambda: not set(processes_with("--name-template")) - before)


async def test_a_program_that_takes_too_long_is_stopped_before_its_worker_is(
    pool: Pool, tmp_path: Path
) -> None:
    helm = tmp_path / "helm"
    helm.write_text("#!/bin/sh\nexec sleep 600\n")
    helm.chmod(0o755)
    chart = written(tmp_path / "chart", {"app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0"})
    answer = await pool.run(rendering(chart, helm=str(helm), seconds=0.2), seconds=60)
    assert answer == Failed("helm template was stopped: it took longer than 0.2 s")


async def test_slow_jobs_move_aside_so_that_others_go_on(pool: Pool) -> None:
    slow = [asyncio.create_task(pool.run(ENDLESS, seconds=60)) for _ in range(5)]
    began = time.monotonic()
    assert await pool.run(QUICK, seconds=30) == DONE
    assert time.monotonic() - began < 10
    assert not any(one.done() for one in slow)
    for one in slow:
        one.cancel()
    await asyncio.wait(slow)


async def test_who_is_known_for_taking_long_waits_for_its_like_and_holds_up_nobody() -> None:
    pool = Pool(size=1, aside=0, patience=0.05)
    try:
        slow = [asyncio.create_task(pool.run(ENDLESS, seconds=60, notorious=True)) for _ in range(3)]
        assert await pool.run(QUICK, seconds=30) == DONE
        assert pool.jobs == 2  # the two others wait for the first
        for one in slow:
            one.cancel()
        await asyncio.wait(slow)
    finally:
        await pool.close()


async def test_more_jobs_than_places_wait_their_turn_and_are_all_done(pool: Pool) -> None:
    answers = await asyncio.gather(*(pool.run(QUICK, seconds=30) for _ in range(50)))
    assert answers == [DONE] * 50


async def test_whoever_goes_away_leaves_no_answer_for_the_next(pool: Pool) -> None:
    other = Jq({"kind": "B", "a": 1}, (".a",))
    await pool.warm()
    for _ in range(10):
        running = asyncio.create_task(pool.run(other, seconds=30))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait({running})
        assert await pool.run(QUICK, seconds=30) == DONE


async def test_folders_of_workers_are_gone_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    pool = Pool()
    await pool.run(QUICK, seconds=30)
    with pytest.raises(TookTooLong):
        await pool.run(ENDLESS, seconds=0.1)
    await pool.close()
    assert list(tmp_path.iterdir()) == []


async def test_what_a_killed_engine_left_is_cleared_and_what_a_living_one_has_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    for owner in (gone.pid, 1):
        (tmp_path / f"argosy-worker-{owner}-x").mkdir()
    _clear_what_a_crash_left.cache_clear()
    pool = Pool()
    await pool.warm()
    await pool.close()
    assert [one.name for one in tmp_path.iterdir()] == ["argosy-worker-1-x"]


async def test_what_a_library_prints_does_not_stand_between_the_answers(pool: Pool, tmp_path: Path) -> None:
    traced = "std.trace('hello', {apiVersion: 'v1', kind: 'A', metadata: {name: 'x'}})"
    job: Job = rendering(written(tmp_path, {"app/main.jsonnet": traced}))
    answer: Answer = await pool.run(job, seconds=30)
    assert isinstance(answer, Rendered)
    assert await pool.run(QUICK, seconds=30) == DONE


async def test_a_very_large_answer_arrives_whole(pool: Pool, tmp_path: Path) -> None:
    text = "\n---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\ndata: {{x: '{'x' * 50_000}'}}"
        for number in range(150)
    )
    answer = await pool.run(rendering(written(tmp_path, {"app/a.yaml": text})), seconds=60)
    assert isinstance(answer, Rendered)
    assert sum(map(len, answer.objects)) > 7_000_000
    assert max(map(len, answer.objects)) < 200_000

"""Plays scenarios against the real Argo CD at an embedded cluster, and keeps what it answers. `tools.oracle` calls it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.argo_cd import theirs
from tests.conformance.argo_cd.normalising import Values, outcome
from tests.conformance.argo_cd.playing import Play
from tests.conformance.argo_cd.scenario import RECORDED, Scenario, ScenarioError, load, recording
from tests.embedded_cluster import bare_cluster
from tools import argo_oracle

_AT_ONCE = 8


def record(pattern: str) -> list[str]:
    """What went wrong."""
    chosen = load(pattern)
    answers, wrong = asked(chosen)
    for subject in {one.subject for one in chosen}:
        _store(subject, {name: told for name, told in answers.items() if name.startswith(f"{subject}/")})
    if not pattern:
        _forget(chosen)
    return wrong


def asked(scenarios: Sequence[Scenario]) -> tuple[dict[str, Values], list[str]]:
    """What it answers, and what went wrong. A new Argo CD for each set of settings, because it forgets nothing of the old ones."""
    by_settings: dict[str, list[Scenario]] = defaultdict(list)
    for one in scenarios:
        by_settings[json.dumps(one.settings, sort_keys=True)].append(one)
    answers: dict[str, Values] = {}
    wrong: list[str] = []
    for group in by_settings.values():
        with tempfile.TemporaryDirectory() as folder, bare_cluster(Path(folder)) as kubeconfig:
            sets = any(one.subject == "sets" for one in group)
            with argo_oracle.running(kubeconfig, argo_oracle.Wanted(settings=group[0].settings, sets=sets)):
                answers |= asyncio.run(_play(kubeconfig, Path(folder), group, wrong))
    return answers, wrong


async def _play(
    kubeconfig: Path, folder: Path, scenarios: Sequence[Scenario], wrong: list[str]
) -> dict[str, Values]:
    answers: dict[str, Values] = {}
    slots = asyncio.Semaphore(_AT_ONCE)
    async with theirs.site(kubeconfig, folder / "repositories") as site:

        async def play(number: int, scenario: Scenario) -> None:
            one = Play(scenario, site, f"t{number:04d}x")
            async with slots:
                try:
                    await one.run()
                    answers[scenario.id] = {"of": scenario.digest, "looks": outcome(one)}
                except ScenarioError as error:
                    wrong.append(str(error))
                with contextlib.suppress(ScenarioError):
                    await one.leave()

        await asyncio.gather(*(play(number, one) for number, one in enumerate(scenarios)))
    return answers


def _store(subject: str, answers: dict[str, Values]) -> None:
    """Beside those that were not asked this time."""
    RECORDED.mkdir(exist_ok=True)
    known = dict(sorted({**recording(subject), **answers}.items()))
    text = json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True)
    (RECORDED / f"{subject}.json").write_text(f"{text}\n")


def _forget(scenarios: Sequence[Scenario]) -> None:
    """Recordings of scenarios that there are no more."""
    known = {one.id for one in scenarios}
    for path in RECORDED.glob("*.json"):
        kept = {name: told for name, told in recording(path.stem).items() if name in known}
        path.unlink()
        if kept:
            _store(path.stem, kept)

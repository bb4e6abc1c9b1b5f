"""Embedded clusters through a backup that is taken while people write, and through kills of whoever takes or restores it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.store.snapshot import of_file
from argosy.kube.types import Kind
from tests.faults.test_kill_everything import state_of
from tests.faults.test_kube_kill import WRITERS, Writer, eventually, progress_since
from tests.installation import Installation

CONFIG_MAP, NAMESPACE = Kind("", "v1", "ConfigMap"), Kind("", "v1", "Namespace")
WORKER = [sys.executable, "-m", "tests.faults.backup_worker"]


def connected(kubeconfig: Path) -> Client:
    return from_kubeconfig(kubeconfig, manager="tests")


def kubeconfig_of(installation: Installation, name: str = "local") -> Path:
    return installation.data_dir / "clusters" / name / "kubeconfig"


async def identity(client: Client) -> str:
    return str((await client.get(NAMESPACE, "kube-system"))["metadata"]["uid"])


async def written(client: Client) -> dict[str, Object]:
    return {
        one["metadata"]["name"]: one for one in (await client.list(CONFIG_MAP, labels="written=yes")).items
    }


async def refuses_to_watch_from(client: Client, revision: int) -> bool:
    try:
        async for _ in client.watch(CONFIG_MAP, "default", revision=str(revision), seconds=1):
            return False
    except ApiError as error:
        return error.code == 410
    return False


async def verb(installation: Installation, *words: str, check: bool = True) -> str:
    done = await asyncio.to_thread(installation.run, *words, check=check)
    return done.stdout + done.stderr


async def start_anew(installation: Installation) -> None:
    await asyncio.to_thread(installation.up)


def killed_at(line: str, what: str, installation: Installation, file: Path) -> None:
    done = subprocess.run(
        [*WORKER, what, str(installation.data_dir), str(file), line],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


async def test_what_was_acknowledged_before_a_backup_is_in_it_and_the_cluster_comes_back_as_itself(
    tmp_path: Path,
) -> None:
    file, copied = tmp_path / "all.argosy", tmp_path / "kubeconfig"
    with Installation() as installation:
        copied.write_bytes(kubeconfig_of(installation).read_bytes())
        client = connected(copied)
        uid = await identity(client)
        writers = [Writer(client, f"writer{number}") for number in range(WRITERS)]
        writing = [asyncio.create_task(one.run()) for one in writers]
        await eventually(progress_since(writers, 100), "no write is answered")
        acknowledged = {name: change for one in writers for name, (_, change) in one.acknowledged.items()}
        await verb(installation, "backup", str(file))
        await eventually(progress_since(writers, sum(one.answers for one in writers)), "no write is answered")
        for one in writers:
            one.enough = True
        await asyncio.gather(*writing)
        seen = max(revision for one in writers for revision in one.revisions)
        await client.close()

        await verb(installation, "down")
        refused = await verb(installation, "restore", str(file), check=False)
        assert "the embedded clusters (local)" in refused
        await verb(installation, "restore", "--force", str(file))
        await start_anew(installation)
        await check_restored(copied, uid, acknowledged, writers, seen)

        await verb(installation, "down")
        await verb(installation, "reset", "--yes")
        await verb(installation, "restore", str(file))
        await start_anew(installation)
        await check_restored(copied, uid, acknowledged, writers, seen)


async def check_restored(
    kubeconfig: Path, uid: str, acknowledged: dict[str, int], writers: list[Writer], seen: int
) -> None:
    client = connected(kubeconfig)
    assert await identity(client) == uid
    there = await written(client)
    for name, change in acknowledged.items():
        assert int(there[name]["data"]["change"]) >= change, f"{name} was acknowledged and is lost"
    for one in writers:  # each writes one after the other, so a moment has no gap
        mine = [name for name in one.acknowledged if name in there]
        assert mine == list(one.acknowledged)[: len(mine)]
    made = await client.create(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "later-"}},
        namespace="default",
    )
    assert int(made["metadata"]["resourceVersion"]) > seen
    assert await refuses_to_watch_from(client, seen)
    await client.close()


async def test_a_backup_that_is_killed_leaves_no_file_and_no_cluster_worse(tmp_path: Path) -> None:
    with Installation() as installation:
        await verb(installation, "kube", "create", "staging")
        for stage in ("copying the database", "copying the embedded cluster staging", "reading it back"):
            killed_at(stage, "backup", installation, tmp_path / "all.argosy")
            assert not (tmp_path / "all.argosy").exists()
        client = connected(kubeconfig_of(installation, "staging"))
        await identity(client)
        await client.close()
        await verb(installation, "backup", str(tmp_path / "all.argosy"))
        [known] = installation.admin.done("GET", "/api/system")["backups"]
        assert (known["clusters"], known["left_out"]) == (["local", "staging"], [])


async def test_a_backup_waits_for_clusters_that_are_just_started_anew(tmp_path: Path) -> None:
    with Installation() as installation:
        os.kill(state_of(installation)["cluster"], signal.SIGKILL)
        told = await verb(installation, "backup", str(tmp_path / "all.argosy"))
        assert "copying the embedded cluster local" in told


async def test_a_restore_that_is_killed_ends_in_the_old_clusters_or_the_new_ones(tmp_path: Path) -> None:
    file = tmp_path / "all.argosy"
    with Installation() as installation:
        client = connected(kubeconfig_of(installation))
        uid = await identity(client)
        await verb(installation, "backup", str(file))
        await client.create(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "made-after"}}, namespace="default"
        )
        await client.close()
        await verb(installation, "down")

        for stage in ("checking the backup", "restoring the database", "restoring the embedded clusters",
                      "replacing the old data"):  # fmt: skip
            killed_at(stage, "restore", installation, file)
            assert "made-after" in await names_on_disk(installation), stage
        killed_at("restored the backup", "restore", installation, file)
        assert "made-after" not in await names_on_disk(installation)

        await start_anew(installation)
        client = connected(kubeconfig_of(installation))
        assert await identity(client) == uid
        await client.close()


async def names_on_disk(installation: Installation) -> set[str]:
    found = await of_file(installation.data_dir / "clusters" / "local" / "objects.db")
    return {state.key.name for state in found.states}

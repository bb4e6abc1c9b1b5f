"""A real binary is started with nothing within its reach, and is stopped when it takes too much."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argosy.manifests.kustomize import Edits
from argosy.manifests.kustomize.binary import build_with
from argosy.manifests.programs import Limits
from argosy.manifests.tree import SourceError


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "app").mkdir(parents=True)
    (folder / "app" / "kustomization.yaml").write_text(
        "resources: [a.yaml]\nimages: [{name: nginx, newTag: '1'}]\n"
    )
    return folder


def program(tmp_path: Path, script: str) -> Path:
    """Stands for kustomize: says what it is asked for, and what it sees."""
    file = tmp_path / "kustomize"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def test_its_output_becomes_objects(tmp_path: Path, repository: Path) -> None:
    binary = program(tmp_path, 'echo "args: $1 $3"; echo "where: $2"; echo ---; echo "on: yes"')

    found = build_with(binary, repository, "app", options=["--enable-helm"])

    assert found == [{"args": "build --enable-helm", "where": str(repository / "app")}, {"true": True}]


def test_it_sees_no_programs_and_no_way_out(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOSY_PASSWORD", "hunter2")
    binary = program(
        tmp_path,
        'echo "path: \\"$PATH\\""; echo "proxy: \\"$HTTPS_PROXY\\""; echo "secret: \\"$ARGOSY_PASSWORD\\""; echo "home: $HOME"',
    )

    (found,) = build_with(binary, repository, "app")

    assert found["secret"] == ""
    assert found["path"] == ""
    assert found["proxy"] == "http://127.0.0.1:1"
    assert found["home"] != str(Path.home())


def test_edits_are_written_into_the_copy(tmp_path: Path, repository: Path) -> None:
    binary = program(tmp_path, "exec /bin/cat $2/kustomization.yaml")

    (found,) = build_with(binary, repository, "app", edits=Edits(name_prefix="on", images=["nginx:2"]))

    assert found["namePrefix"] == "on"
    assert found["images"] == [{"name": "nginx", "newTag": "2"}]
    assert json.loads((repository / "app" / "kustomization.yaml").read_text()) == found


def test_its_last_words_are_the_error_without_the_path_of_the_copy(tmp_path: Path, repository: Path) -> None:
    binary = program(tmp_path, 'echo "# Warning: old" >&2; echo "Error: no $2/a.yaml" >&2; exit 1')

    with pytest.raises(SourceError, match=r"^Error: no app/a\.yaml$"):
        build_with(binary, repository, "app")


def test_it_is_stopped_after_its_time(tmp_path: Path, repository: Path) -> None:
    binary = program(tmp_path, "exec /bin/sleep 60")

    with pytest.raises(SourceError, match="took longer than 0.2 s"):
        build_with(binary, repository, "app", limits=Limits(seconds=0.2))


def test_it_is_stopped_when_it_writes_too_much(tmp_path: Path, repository: Path) -> None:
    binary = program(tmp_path, "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done")

    with pytest.raises(SourceError, match="its output is larger than 1000 bytes"):
        build_with(binary, repository, "app", limits=Limits(output=1000))


def test_a_binary_that_is_not_there_is_named(tmp_path: Path, repository: Path) -> None:
    with pytest.raises(SourceError, match="kustomize cannot be started: .*missing: No such file"):
        build_with(tmp_path / "missing", repository, "app")

"""The set-up's own parts: what is read from the lock, which wheel fits, when a step may be skipped."""

import subprocess
from pathlib import Path

import pytest

from tools import bootstrap, mirror, setup, stamps
from tools.bootstrap import Pinned, Wheel, for_this_machine
from tools.steps import Stop, run

UV = Pinned(
    "1.2.3",
    tuple(
        Wheel(f"https://files.test/uv-1.2.3-py3-none-{tag}.whl", "0" * 64)
        for tag in (
            "macosx_11_0_arm64",
            "manylinux_2_17_aarch64.manylinux2014_aarch64",
            "manylinux_2_17_x86_64.manylinux2014_x86_64",
            "musllinux_1_1_x86_64",
        )
    ),
)


def test_the_lock_names_uv_with_a_hash_for_each_build() -> None:
    uv = bootstrap.pinned()

    assert uv.version.count(".") == 2
    assert all(len(wheel.sha256) == 64 for wheel in uv.wheels)


@pytest.mark.parametrize(
    ("system", "machine", "musl", "tag"),
    [
        ("Linux", "x86_64", False, "manylinux_2_17_x86_64"),
        ("Linux", "aarch64", False, "manylinux_2_17_aarch64"),
        ("Linux", "arm64", False, "manylinux_2_17_aarch64"),
        ("Linux", "x86_64", True, "musllinux_1_1_x86_64"),
        ("Darwin", "arm64", False, "macosx_11_0_arm64"),
    ],
)
def test_each_machine_gets_its_own_build(system: str, machine: str, musl: bool, tag: str) -> None:
    assert tag in for_this_machine(UV, system, machine, musl=musl).url


def test_a_machine_without_a_build_is_told_so() -> None:
    with pytest.raises(Stop, match="no build for Linux on vax"):
        for_this_machine(UV, "Linux", "vax", musl=False)


def test_the_real_lock_has_a_build_for_the_machines_we_promise() -> None:
    uv = bootstrap.pinned()

    for machine in ("x86_64", "aarch64"):
        assert "manylinux" in for_this_machine(uv, "Linux", machine, musl=False).url


def test_when_no_way_works_the_message_has_three_lines_and_a_cure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def nothing_here(_uv: Pinned) -> None:
        raise Stop("not here")

    for way in ("_with_pip", "_with_bundled_pip", "_from_lock"):
        monkeypatch.setattr(bootstrap, way, nothing_here)
    monkeypatch.setattr(bootstrap, "HOME", tmp_path / "uv")

    with pytest.raises(Stop) as stopped:
        bootstrap.install(UV)

    assert len(str(stopped.value).splitlines()) == 3
    assert "apt-get install" in str(stopped.value)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(stamps, "ROOT", tmp_path)
    monkeypatch.setattr(stamps, "FOLDER", tmp_path / ".tools" / "stamps")
    (tmp_path / "ui" / "src").mkdir(parents=True)
    (tmp_path / "ui" / "src" / "main.tsx").write_text("one")
    return tmp_path


def test_a_stamp_is_fresh_until_a_source_changes(tree: Path) -> None:
    stamps.write("ui", stamps.digest([tree / "ui"]))
    assert stamps.fresh("ui", stamps.digest([tree / "ui"]))

    (tree / "ui" / "src" / "main.tsx").write_text("two")

    assert not stamps.fresh("ui", stamps.digest([tree / "ui"]))


def test_a_renamed_source_is_a_change(tree: Path) -> None:
    before = stamps.digest([tree / "ui"])
    (tree / "ui" / "src" / "main.tsx").rename(tree / "ui" / "src" / "other.tsx")

    assert stamps.digest([tree / "ui"]) != before


def test_what_is_built_or_installed_is_no_source(tree: Path) -> None:
    before = stamps.digest([tree / "ui"])
    for made in ("node_modules", "dist"):
        (tree / "ui" / made).mkdir()
        (tree / "ui" / made / "thing.js").write_text("made")

    assert stamps.digest([tree / "ui"]) == before


def test_a_forgotten_stamp_is_not_fresh(tree: Path) -> None:
    stamps.write("ui", "x")
    stamps.forget("ui")

    assert not stamps.fresh("ui", "x")


def test_a_node_that_is_too_old_counts_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, says in (("node", "v18.19.0"), ("npm", "9.0.0")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho {says}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert setup.node_on_path() is None
    assert setup.node_environment()["PATH"].startswith(str(setup.VENV / "bin"))


@pytest.fixture
def no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))


@pytest.mark.usefixtures("no_configuration")
def test_the_index_of_pips_configuration_is_used(tmp_path: Path) -> None:
    (tmp_path / "pip.conf").write_text("[global]\nindex-url = https://mirror.test/simple\n")

    assert mirror.index_of_pip() == "https://mirror.test/simple"


@pytest.mark.usefixtures("no_configuration")
def test_uvs_own_index_wins_over_pips(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://one.test/simple")
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://two.test/simple")

    assert mirror.index_of_pip() == "https://two.test/simple"


def test_a_failing_program_shows_its_last_words_and_the_cure() -> None:
    with pytest.raises(Stop, match=r"(?s)broken pipe of dreams.*sh -c.*failed with 3\ntry again"):
        run(["sh", "-c", "echo broken pipe of dreams; exit 3"], cure="try again")


def test_a_missing_program_is_named() -> None:
    with pytest.raises(Stop, match="no-such-program is not installed"):
        run(["no-such-program"])


def test_make_alone_lists_each_verb_with_one_line() -> None:
    said = subprocess.run(["make"], cwd=setup.ROOT, capture_output=True, text=True, check=True).stdout

    for verb in ("up", "setup", "test", "test-long", "lint", "bench", "dist", "ui-dev", "docs"):
        assert f"  make {verb} " in said

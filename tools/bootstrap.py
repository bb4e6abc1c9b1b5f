"""Gets the one tool everything else comes from: `uv`, in the version that uv.lock names, into `.tools/uv`.

Called by `tools.setup`, maybe on a machine with nothing but Python. Three ways, the machine's own
configuration first: pip; the pip that rests inside `ensurepip`; the address in uv.lock. Each of them
checks the hash that uv.lock holds.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.steps import ROOT, Stop

HOME = ROOT / ".tools" / "uv"
UV = HOME / "bin" / "uv"
_DEBIAN_WHEELS = Path("/usr/share/python-wheels")


@dataclass(frozen=True)
class Wheel:
    url: str
    sha256: str


@dataclass(frozen=True)
class Pinned:
    version: str
    wheels: tuple[Wheel, ...]


def pinned() -> Pinned:
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    package = next(package for package in lock["package"] if package["name"] == "uv")
    wheels = [Wheel(wheel["url"], wheel["hash"].removeprefix("sha256:")) for wheel in package["wheels"]]
    return Pinned(package["version"], tuple(wheels))


def install(uv: Pinned) -> None:
    """Tries each way in turn; when none works, says what each of them said."""
    said: list[str] = []
    for way in (_with_pip, _with_bundled_pip, _from_lock):
        shutil.rmtree(HOME, ignore_errors=True)
        try:
            way(uv)
        except (OSError, subprocess.SubprocessError, zipfile.BadZipFile, Stop) as error:
            said.append(_last_line(error))
            continue
        if UV.is_file():
            UV.chmod(0o755)
            return
    raise Stop(
        f"uv {uv.version} cannot be fetched: {'; '.join(said)}\n"
        "Tried pip, the pip inside Python, and the address in uv.lock.\n"
        "Check the network or the proxy; on Debian and Ubuntu also: apt-get install python3-pip ca-certificates"
    )


def _with_pip(uv: Pinned) -> None:
    if importlib.util.find_spec("pip") is None:
        raise Stop("this Python has no pip")
    _pip([sys.executable, "-m", "pip"], uv)


def _with_bundled_pip(uv: Pinned) -> None:
    folders = [_DEBIAN_WHEELS]
    if (ensurepip := importlib.util.find_spec("ensurepip")) is not None and ensurepip.origin:
        folders.append(Path(ensurepip.origin).parent / "_bundled")
    wheels = [wheel for folder in folders for wheel in sorted(folder.glob("pip-*.whl"))]
    if not wheels:
        raise Stop("this Python has no ensurepip")
    _pip([sys.executable, f"{wheels[-1]}/pip"], uv)


def _pip(pip: list[str], uv: Pinned) -> None:
    hashes = " ".join(f"--hash=sha256:{wheel.sha256}" for wheel in uv.wheels)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(f"uv=={uv.version} {hashes}\n")
        wanted.flush()
        options = ["--require-hashes", "--only-binary=:all:", "--no-deps", "--target", str(HOME), "--quiet"]
        subprocess.run(
            [*pip, "install", "--no-input", *options, "-r", wanted.name],
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        )


def _from_lock(uv: Pinned) -> None:
    wheel = for_this_machine(uv, platform.system(), platform.machine(), musl=not platform.libc_ver()[0])
    with urllib.request.urlopen(wheel.url, timeout=60) as answer:
        content: bytes = answer.read()
    if hashlib.sha256(content).hexdigest() != wheel.sha256:
        raise Stop("what came from the address in uv.lock is not what uv.lock expects")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inside = next(name for name in archive.namelist() if name.endswith(".data/scripts/uv"))
        UV.parent.mkdir(parents=True)
        UV.write_bytes(archive.read(inside))


def for_this_machine(uv: Pinned, system: str, machine: str, *, musl: bool) -> Wheel:
    machine = {"amd64": "x86_64", "AMD64": "x86_64"}.get(machine, machine)
    if system == "Darwin":
        fits: Callable[[str], bool] = lambda name: "macosx" in name and name.endswith(f"_{machine}.whl")  # noqa: E731
    else:
        machine = "aarch64" if machine == "arm64" else machine
        family = "musllinux" if musl else "manylinux"
        fits = lambda name: family in name and name.endswith(f"_{machine}.whl")  # noqa: E731
    for wheel in uv.wheels:
        if fits(wheel.url.rpartition("/")[2]):
            return wheel
    raise Stop(f"uv {uv.version} has no build for {system} on {machine}")


def _last_line(error: Exception) -> str:
    text = error.stderr if isinstance(error, subprocess.CalledProcessError) else str(error)
    lines = [line for line in str(text).splitlines() if line.strip() and "notice" not in line]
    return lines[-1].strip()[:160] if lines else type(error).__name__

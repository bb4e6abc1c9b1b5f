"""`make dist`: a wheel in `dist/` that carries the built UI and the SQL migrations.

`tools.setup` has built the UI by now. The wheel is opened again and looked through, because a wheel
without its UI installs without a word and greets the user with an empty page.
"""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

from tools import bootstrap
from tools.setup import BUILT_UI, uv_environment
from tools.steps import ROOT, Stop, run, step

FOLDER = ROOT / "dist"


def main() -> int:
    try:
        wheel = build()
        missing = lacking(wheel)
    except Stop as stop:
        print(f"dist: {stop}", file=sys.stderr)
        return 1
    if missing:
        print(f"dist: {wheel.name} lacks {missing[0]} and {len(missing) - 1} more", file=sys.stderr)
        return 1
    print(f"{wheel.relative_to(ROOT)} ({wheel.stat().st_size / 1024**2:.1f} MB)")
    return 0


def build(folder: Path = FOLDER) -> Path:
    if not (BUILT_UI / "index.html").is_file():
        raise Stop("there is no built UI to carry\nThe source in ui/ builds it: make setup")
    shutil.rmtree(folder, ignore_errors=True)
    with step("wheel"):
        run(
            [bootstrap.UV, "build", "--wheel", "--out-dir", folder, "--python", sys.executable],
            env=uv_environment(),
        )
    return next(folder.glob("argosy-*.whl"))


def lacking(wheel: Path) -> list[str]:
    """What the checkout has beside its Python and the wheel has not."""
    source = ROOT / "src"
    beside = (path for kind in ("*.sql", "*.lua", "*.rules") for path in source.rglob(kind))
    wanted = [path for path in (*BUILT_UI.rglob("*"), *beside) if path.is_file()]
    with zipfile.ZipFile(wheel) as archive:
        carried = set(archive.namelist())
    return sorted({path.relative_to(source).as_posix() for path in wanted} - carried)


if __name__ == "__main__":
    sys.exit(main())

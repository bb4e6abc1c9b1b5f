"""The real text/template with the real Sprig, to compare `argosy.domain.templates` with.

    python -m tools.template_oracle record      asks it all cases of the tests and stores what it answers

Built with Go into the cache of `tools.oracle_build`, out of `template_oracle.go`; the versions are those that Argo CD 3.6 takes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import yaml

from tools import oracle_build
from tools.steps import ROOT, Stop, run, step

_SOURCE = Path(__file__).with_suffix(".go")
_CASES = ROOT / "tests" / "unit" / "domain" / "templates"
_MODULE = """module oracle

go 1.26.0

require (
	github.com/Masterminds/semver/v3 v3.4.0
	github.com/Masterminds/sprig/v3 v3.3.0
	github.com/gosimple/slug v1.15.0
	github.com/spf13/cast v1.7.1
	github.com/valyala/fasttemplate v1.2.2
	sigs.k8s.io/yaml v1.6.0
)
"""


def binary() -> Path:
    return oracle_build.home() / "templates" / "oracle"


def build() -> Path:
    """Nothing when it is there and newer than its source."""
    if binary().is_file() and binary().stat().st_mtime > _SOURCE.stat().st_mtime:
        return binary()
    folder = oracle_build.home() / "modules" / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "go.mod").write_text(_MODULE)
    (folder / "main.go").write_text(_SOURCE.read_text())
    binary().parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -buildvcs=false"}
    half = binary().with_suffix(".building")
    with step("building the oracle of templates"):
        run(
            ["nice", "-n", "10", "go", "build", "-p", "2", "-trimpath", "-o", half, "."],
            cwd=folder,
            env=environment,
            cure="Go builds it: apt-get install golang, or https://go.dev/dl",
        )
    half.replace(binary())
    return binary()


class Oracle:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, case: dict[str, object]) -> dict[str, str]:
        """`output` or `error`."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None and answers is not None
        asked.write(json.dumps(case) + "\n")
        asked.flush()
        line = answers.readline()
        if not line:
            raise Stop(f"the oracle of templates ended at {case!r}")
        found: dict[str, str] = json.loads(line)
        return found


@contextmanager
def running() -> Iterator[Oracle]:
    with subprocess.Popen(
        [build()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "TZ": "UTC"}
    ) as process:
        try:
            yield Oracle(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def cases() -> Iterator[dict[str, object]]:
    """Of each group in the file, every template with the group's parameters."""
    for group in yaml.safe_load((_CASES / "cases.yaml").read_text()):
        shared = {key: value for key, value in group.items() if key not in {"group", "templates"}}
        for template in group["templates"]:
            yield {"params": {}, **shared, "group": group["group"], "template": template}


def _record() -> None:
    with running() as oracle, (_CASES / "recorded.jsonl").open("w") as file:
        count = 0
        for case in cases():
            told = {"group": case["group"], "template": case["template"], **oracle.ask(case)}
            file.write(json.dumps(told, ensure_ascii=False) + "\n")
            count += 1
    print(f"  {count} answers recorded")


def main(arguments: Sequence[str]) -> int:
    if arguments != ["record"]:
        print(__doc__)
        return 2
    _record()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Stop as stop:
        sys.exit(f"error: {stop}")

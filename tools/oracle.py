"""`make oracle`: a real Kubernetes on loopback, to compare the embedded one with.

    python -m tools.oracle build                 the same as `make oracle`: nothing when it is built
    python -m tools.oracle run [--controllers]   one of your own until Ctrl-C; prints its URL and kubeconfig
    python -m tools.oracle record [PATTERN]      plays the scenarios against it and stores what it answers
    python -m tools.oracle compare URL --kubeconfig FILE [PATTERN]      plays them against another server, shows differences
    python -m tools.oracle kustomize [PATTERN]   asks the real kustomize for what the cases of tests/conformance/kustomize expect
    python -m tools.oracle argo-cd [PATTERN]     asks the real Argo CD for what the scenarios of tests/conformance/argo_cd come to
    python -m tools.oracle argo-cd-report        plays them at the embedded engine, and writes how the two compare
    python -m tools.oracle encode                protobuf bodies for scenarios, out of tests/conformance/kube/protobuf/bodies.yaml
    python -m tools.oracle tables [--check]      what the embedded server knows of Go's types (`oracle_tables`)

`tests/conformance/kube` has the scenarios and the recordings, so that the suite runs where there is no Go.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import signal
import ssl
import sys
import tempfile
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import yaml

from argosy.kit import log
from tests.conformance.argo_cd import recording, reporting
from tests.conformance.kube import differences, replay, scenario, transcripts
from tools import argo_oracle_build, oracle_build, oracle_cluster, oracle_kustomize, oracle_tables
from tools.steps import ROOT, Stop, step


def main(arguments: list[str]) -> int:
    asked, rest = _parser().parse_known_args(arguments)
    if len(rest) > 1 or (rest and rest[0].startswith("-")) or (rest and not hasattr(asked, "pattern")):
        _parser().error(f"what is meant by {' '.join(rest)}?")
    pattern = rest[0] if rest else getattr(asked, "pattern", "")
    match asked.verb:
        case "build":
            oracle_build.build()
            oracle_kustomize.build()
            argo_oracle_build.build()
        case "kustomize":
            return oracle_kustomize.record(pattern)
        case "argo-cd":
            return _record_argo_cd(pattern)
        case "argo-cd-report":
            return _report_argo_cd()
        case "run":
            return _run(controllers=asked.controllers, durable=not asked.fast)
        case "record":
            return _record(pattern)
        case "compare":
            return _compare(asked.url, asked.kubeconfig, pattern)
        case "encode":
            _encode()
        case "tables":
            oracle_tables.write(check=asked.check)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.oracle", description="A real Kubernetes to compare with."
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("build", help="build what is missing")
    running = verbs.add_parser("run", help="run one until Ctrl-C")
    running.add_argument("--controllers", action="store_true", help="with the controller manager")
    running.add_argument("--fast", action="store_true", help="etcd does not wait for the disk")
    recording = verbs.add_parser("record", help="store what it answers to the scenarios")
    recording.add_argument("pattern", nargs="?", default="", help="part of the scenarios' ids")
    comparing = verbs.add_parser("compare", help="play the scenarios against another server")
    comparing.add_argument("url")
    comparing.add_argument("--kubeconfig", type=Path, required=True)
    comparing.add_argument("pattern", nargs="?", default="")
    asking = verbs.add_parser("kustomize", help="store what the real kustomize answers")
    asking.add_argument("pattern", nargs="?", default="", help="part of the cases' names")
    argo_cd = verbs.add_parser("argo-cd", help="store what the real Argo CD comes to")
    argo_cd.add_argument("pattern", nargs="?", default="", help="part of the scenarios' ids")
    verbs.add_parser("argo-cd-report", help="write how the embedded engine compares with it")
    verbs.add_parser("encode", help="encode the scenarios' protobuf bodies")
    tables = verbs.add_parser("tables", help="write what the embedded server knows of Go's types")
    tables.add_argument("--check", action="store_true", help="only say what would change")
    return parser


def _run(*, controllers: bool, durable: bool) -> int:
    ended = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, lambda *_: ended.set())
    with oracle_cluster.running(controllers=controllers, durable=durable) as oracle:
        print(f"{oracle.url}\nexport KUBECONFIG={oracle.kubeconfig}", flush=True)
        print(f"{oracle_build.binary('kubectl')} speaks to it; Ctrl-C ends it", flush=True)
        ended.wait()
    return 0


def server(kubeconfig: Path, url: str = "") -> replay.Server:
    """How to reach a server as its administrator, by the client certificate in a kubeconfig."""
    content = yaml.safe_load(kubeconfig.read_text())
    cluster, user = content["clusters"][0]["cluster"], content["users"][0]["user"]
    with tempfile.TemporaryDirectory() as folder:
        files = {
            name: _file(Path(folder), {**cluster, **user}, name)
            for name in ("certificate-authority", "client-certificate", "client-key")
        }
        admin = ssl.create_default_context(cafile=files["certificate-authority"])
        admin.load_cert_chain(files["client-certificate"], files["client-key"])
        anonymous = ssl.create_default_context(cafile=files["certificate-authority"])
    return replay.Server((url or cluster["server"]).rstrip("/"), admin, anonymous)


def _file(folder: Path, holder: dict[str, str], name: str) -> Path:
    """A kubeconfig names a file or holds its content."""
    if name in holder:
        return Path(holder[name])
    path = folder / name
    path.write_bytes(base64.b64decode(holder[f"{name}-data"]))
    return path


def _record(pattern: str) -> int:
    chosen = scenario.load(pattern)
    wrong: list[str] = []
    changed = 0

    def store(played: replay.Played) -> None:
        nonlocal changed
        if played.surprises:
            wrong.append("\n  ".join([played.scenario.id, *played.surprises]))
            return
        before = played.scenario.recording.read_bytes() if played.scenario.recording.exists() else b""
        differences.store(played.scenario, transcripts.normalised(played))
        changed += before != played.scenario.recording.read_bytes()

    with step(f"recording {len(chosen)} scenarios"), oracle_cluster.running(durable=False) as oracle:
        asyncio.run(replay.play_all(server(oracle.kubeconfig), chosen, store, wrong.append))
    print("\n".join(wrong))
    size = sum(path.stat().st_size for path in scenario.RECORDED.rglob("*.json"))
    print(
        f"record: {len(chosen) - len(wrong)} recorded, {changed} new or changed, {len(wrong)} wrong; {size / 1e6:.2f} MB"
    )
    if not pattern:
        _forget({one.recording for one in chosen})
    return 1 if wrong else 0


def _forget(wanted: set[Path]) -> None:
    for path in set(scenario.RECORDED.rglob("*.json")) - wanted:
        path.unlink()


def _compare(url: str, kubeconfig: Path, pattern: str) -> int:
    chosen, allowed = scenario.load(pattern), differences.meant()
    wrong: dict[str, list[str]] = {}

    def compare(played: replay.Played) -> None:
        if found := differences.judged(played.scenario, transcripts.normalised(played), allowed):
            wrong[played.scenario.id] = found

    failed: list[str] = []
    asyncio.run(replay.play_all(server(kubeconfig, url), chosen, compare, failed.append))
    for name, found in sorted(wrong.items()):
        print("\n  ".join([name, *found]))
    for one in failed:
        print(one)
    _print_report(chosen, set(wrong) | {one.partition(":")[0] for one in failed}, allowed)
    return 1 if wrong or failed else 0


def _print_report(
    chosen: Sequence[scenario.Scenario], wrong: set[str], allowed: Sequence[differences.Meant]
) -> None:
    """By subject: how many scenarios, how many are the same, how many differ as it is meant, how many otherwise."""
    print("\n| Subject | Scenarios | Same | Meant | Different |\n|---|--:|--:|--:|--:|")
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in chosen:
        meant = any(entry.about(one) for entry in allowed)
        kind = "different" if one.id in wrong else "meant" if meant else "same"
        for subject in (one.id.partition("/")[0], "together"):
            counted[subject][kind] += 1
    counted["together"] = counted.pop("together", Counter())
    for subject, counts in counted.items():
        row = [subject, counts.total(), counts["same"], counts["meant"], counts["different"]]
        print(f"| {' | '.join(map(str, row))} |")


def _record_argo_cd(pattern: str) -> int:
    with step("asking the real Argo CD"):
        wrong = recording.record(pattern)
    print("\n".join(wrong))
    return 1 if wrong else 0


def _report_argo_cd() -> int:
    log.configure(service="oracle", level="error")
    with step("playing the scenarios at the embedded engine"):
        found = reporting.compared("")
    print(f"  {reporting.write(found).relative_to(ROOT)}")
    wrong = [*reporting.unknown(found), *reporting.unused(found)]
    print("\n".join(wrong))
    return 1 if wrong else 0


def _encode() -> None:
    """By upstream's own encoder."""
    wanted = scenario.protobuf_objects()
    lines = "\n".join(json.dumps(one) for one in wanted.values())
    with step(f"encoding {scenario.PROTOBUF / 'bodies.yaml'}"):
        encoded = oracle_build.said_by(scenario.PROTOBUF / "encode.go", lines).decode()
    bodies = dict(zip(wanted, encoded.split(), strict=True))
    (scenario.PROTOBUF / "bodies.json").write_text(json.dumps(bodies, indent=1) + "\n")
    print(f"  {len(bodies)} bodies written")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Stop, scenario.ScenarioError) as stop:
        print(f"oracle: {stop}", file=sys.stderr)
        sys.exit(1)

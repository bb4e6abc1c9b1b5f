"""How long one object's health takes: by a built-in rule, by a table, by a script; and how long a hostile script holds its thread."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":  # a script sees its neighbours, not the repository
    sys.path[0] = str(Path(__file__).parents[2])

from argosy.domain.health import Scripts, health_of
from argosy.domain.lua import LuaError
from argosy.domain.lua import run as run_script
from argosy.kube.objects import Object
from tests.security.test_lua_sandbox import ENDLESS, GREEDY

Row = tuple[str, str, str]

_CONDITIONS = [
    {"type": kind, "status": "True", "reason": "Fine", "message": "as it should be"}
    for kind in ("Available", "Progressing", "Ready")
]
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "generation": 2, "labels": {str(n): "x" for n in range(8)}},
    "spec": {
        "replicas": 3,
        "template": {
            "spec": {
                "containers": [{"name": "web", "env": [{"name": str(n), "value": "y"} for n in range(20)]}]
            }
        },
    },
    "status": {
        "observedGeneration": 2,
        "replicas": 3,
        "updatedReplicas": 3,
        "availableReplicas": 3,
        "conditions": _CONDITIONS,
    },
}
CERTIFICATE: Object = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "Certificate",
    "metadata": {"name": "web"},
    "status": {"conditions": _CONDITIONS},
}
SCRIPT = """
local hs = {status = "Progressing", message = "waiting"}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.type == "Ready" then
      hs.status = condition.status == "True" and "Healthy" or "Degraded"
      hs.message = condition.message
    end
  end
end
return hs
"""


def run() -> list[Row]:
    scripts = Scripts.read({"resource.customizations.health.apps_Deployment": SCRIPT})
    return [
        ("health of a Deployment, built in", micros(lambda: health_of(DEPLOYMENT)), "≤ 20 µs"),
        ("health of a Certificate, by a table", micros(lambda: health_of(CERTIFICATE)), ""),
        (
            "health of a Deployment of 2 KB, by a script",
            micros(lambda: health_of(DEPLOYMENT, scripts), 500),
            "≤ 300 µs",
        ),
        ("hostile Lua: the longest that one holds its thread (CPU)", f"{hostile():.1f} ms", "≤ 20 ms"),
    ]


def micros(what: Callable[[], object], times: int = 5_000) -> str:
    what()
    rounds = []
    for _ in range(7):
        started = time.perf_counter()
        for _ in range(times):
            what()
        rounds.append((time.perf_counter() - started) / times)
    return f"{statistics.median(rounds) * 1e6:.0f} µs"


def hostile() -> float:
    longest = 0.0
    for script in [*ENDLESS.values(), *GREEDY.values()]:
        started = time.thread_time()
        try:
            run_script(script, {}, name="hostile", open_libs=True)
        except LuaError:
            longest = max(longest, time.thread_time() - started)
    return longest * 1000


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row))

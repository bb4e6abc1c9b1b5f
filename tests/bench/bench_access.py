"""How long a decision takes in process, and a filtered page of a long list in PostgreSQL.

The account has 200 rules, all for the subject's own team and action, which is the worst case for the index: once each
names a literal, once each has only a wildcard. The list is the store's query: filter, sort by name, take 50.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":  # a script sees its neighbours, not the repository
    sys.path[0] = str(Path(__file__).parents[2])

import asyncpg
import msgspec

from argosy.domain import access
from argosy.domain.access import Column, ColumnMap, Condition, Predicate, Resource, Rule, RuleSet, Subject
from tests.postgres import TestPostgres

Row = tuple[str, str, str]
RULES, APPS, PAGE = 200, 10_000, 50
ACCOUNT = "acme"
SUBJECT = Subject("ana", ACCOUNT, frozenset({"dev"}))
COLUMNS = ColumnMap(
    attributes={"NAMESPACE": Column("namespace"), "CLUSTER": Column("cluster")},
    attributes_json="attributes",
    labels="labels",
)
JSON_ONLY = ColumnMap(attributes_json="attributes", labels="labels")
SCHEMA = """
CREATE TABLE apps (account text, name text, namespace text, cluster text, attributes jsonb, labels jsonb,
                   PRIMARY KEY (account, name));
CREATE INDEX ON apps (account, namespace);
CREATE INDEX ON apps USING gin (attributes jsonb_path_ops);
CREATE INDEX ON apps USING gin (labels jsonb_path_ops);
"""


def rules(namespace: str, cluster: str = "cluster-{}", team: str = "payments") -> RuleSet:
    """Each rule wants one namespace on one cluster, and a label; the arguments are how these are written."""
    return RuleSet(ACCOUNT, [
        Rule(
            f"rule-{n}", ACCOUNT, f"rule {n}", "applications", ("dev",), ("VIEW",),
            (
                Condition("NAMESPACE", (namespace.format(n),)),
                Condition("CLUSTER", (cluster.format(n % 5),)),
                Condition("LABEL", (team, "orders"), "team"),
            ),
        )
        for n in range(RULES)
    ])  # fmt: skip


def app(number: int, dice: random.Random) -> Resource:
    namespace = dice.randrange(RULES * 2)
    found = {
        "NAMESPACE": (f"ns-{namespace}",),
        "CLUSTER": (f"cluster-{namespace % 5}",),
        "RUNTIME": (f"runtime-{number % 3}",),
    }
    return Resource(
        "applications", f"app-{number:05}", ACCOUNT, found, {"team": dice.choice(("payments", "catalogue"))}
    )


def microseconds_per_decision(compiled: RuleSet, resources: list[Resource]) -> float:
    best = float("inf")
    for _ in range(5):
        started = time.perf_counter()
        for resource in resources:
            access.decide(SUBJECT, "VIEW", resource, compiled)
        best = min(best, time.perf_counter() - started)
    return best / len(resources) * 1e6


def milliseconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3


async def list_times(link: asyncpg.Connection, rows: Predicate, columns: ColumnMap) -> list[float]:
    condition, parameters = access.to_sql(rows, columns)
    query = f"SELECT name FROM apps WHERE {condition} ORDER BY name LIMIT {PAGE}"
    times = []
    for _ in range(60):
        started = time.perf_counter()
        await link.fetch(query, *parameters)
        times.append((time.perf_counter() - started) * 1e3)
    return times


async def fill(link: asyncpg.Connection, resources: list[Resource]) -> None:
    await link.execute(SCHEMA)
    await link.copy_records_to_table("apps", records=[
        (
            ACCOUNT, each.id, each.attributes["NAMESPACE"][0], each.attributes["CLUSTER"][0],
            msgspec.json.encode(each.attributes).decode(), msgspec.json.encode(each.labels).decode(),
        )
        for each in resources
    ])  # fmt: skip
    await link.execute("VACUUM ANALYZE apps")


async def list_rows(dsn: str, resources: list[Resource]) -> list[Row]:
    link = await asyncpg.connect(dsn)
    try:
        await fill(link, resources)
        found: list[Row] = []
        styles = (("literal", "ns-{}"), ("wildcard", "ns-{}*"), ("unmatched", "absent-{}"))
        for style, namespace in styles:
            rows = access.filter(SUBJECT, "applications", "VIEW", rules(namespace))
            for name, columns, target in (
                ("columns", COLUMNS, "≤ 20 ms"),
                ("jsonb only", JSON_ONLY, "none: for attributes that rules seldom name"),
            ):
                times = sorted(await list_times(link, rows, columns))
                p50, p95 = statistics.median(times), times[int(len(times) * 0.95)]
                what = f"filtered list, {PAGE} of {APPS} by {RULES} {style} rules, {name}"
                found.append((what, f"p50 {p50:.1f} ms, p95 {p95:.1f} ms", target))
        return found
    finally:
        await link.close()


def run() -> list[Row]:
    dice = random.Random(7)
    resources = [app(number, dice) for number in range(APPS)]
    literal, wildcard = rules("ns-{}"), rules("*-{}", "*-{}", "pay*")
    compile_ms = milliseconds(lambda: rules("ns-{}"))
    filter_ms = milliseconds(lambda: access.filter(SUBJECT, "applications", "VIEW", literal))
    decisions: list[Row] = [
        (
            f"decision, {RULES} rules, literal",
            f"{microseconds_per_decision(literal, resources):.1f} µs",
            "≤ 50 µs",
        ),
        (
            f"decision, {RULES} rules, wildcards only",
            f"{microseconds_per_decision(wildcard, resources):.1f} µs",
            "≤ 50 µs",
        ),
        (f"compiling {RULES} rules", f"{compile_ms:.1f} ms", "once per version"),
        (f"filter of {RULES} rules", f"{filter_ms:.1f} ms", "in the list's 20 ms"),
    ]
    with TestPostgres() as server:
        dsn = server.dsn(database=server.create_database())
        return [*decisions, *asyncio.run(list_rows(dsn, resources))]


if __name__ == "__main__":
    for what, measured, target in run():
        print(f"{what:<70} {measured:<32} {target}")

"""Pages neither skip nor repeat a row, whatever the order; and a cursor cannot be used for anything else."""

from __future__ import annotations

import base64
import random
from datetime import UTC, datetime, timedelta

import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database, Keyset, Row, SortColumn, paging
from argosy.kit.errors import Internal, Invalid

THINGS = Keyset(
    {
        "name": SortColumn("name"),
        "created": SortColumn("t.created", "timestamptz"),
        "size": SortColumn("size", "bigint", nullable=True),
        "share": SortColumn("share", "double precision", nullable=True),
        "on": SortColumn("active", "boolean"),
    },
    default="-created",
    id=SortColumn("t.id"),
)
START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
async def rows(teams: Database) -> None:
    chance = random.Random(7)
    things = [
        (
            f"{number:03d}", chance.choice(["a", "B", "ü", "", "z" * 120]),
            START + timedelta(microseconds=chance.randrange(9)),
            chance.choice([None, 1, 2, -(2**62)]), chance.choice([None, 0.1, 1e300]), chance.random() < 0.5,
        )
        for number in range(60)
    ]  # fmt: skip
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute("DROP TABLE IF EXISTS paged")
        await tx.execute(
            "CREATE TABLE paged (id text, name text, created timestamptz, size bigint, share float8, active boolean)"
        )
        await tx.executemany("INSERT INTO paged VALUES ($1, $2, $3, $4, $5, $6)", things)


async def listed(teams: Database, sort: str, limit: int) -> list[str]:
    found: list[str] = []
    after = ""
    while True:
        plan = THINGS.plan(sort=sort, after=after, limit=limit, first_parameter=2)
        async with teams.transaction(EVERY_ACCOUNT) as tx:
            rows = await tx.fetch(
                f"SELECT * FROM paged t WHERE id <> $1 AND {plan.condition} ORDER BY {plan.order} LIMIT {plan.limit}",
                "none", *plan.parameters,
            )  # fmt: skip
        items, after = plan.page(rows, lambda row: str(row["id"]))
        assert len(items) <= limit
        found += items
        if not after:
            return found


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("sort", [sign + field for field in THINGS.fields for sign in ("", "-")] + [""])
async def test_pages_together_are_the_whole_list_in_order(teams: Database, sort: str) -> None:
    whole = await listed(teams, sort, 200)
    assert len(set(whole)) == 60
    assert await listed(teams, sort, 7) == whole
    assert await listed(teams, sort, 60) == whole


@pytest.mark.usefixtures("rows")
async def test_a_row_added_or_removed_between_pages_neither_doubles_nor_hides_another(
    teams: Database,
) -> None:
    plan = THINGS.plan(sort="name", after="", limit=20)
    async with teams.transaction(EVERY_ACCOUNT) as tx:
        sql = "SELECT * FROM paged t WHERE {} ORDER BY {} LIMIT 21"
        first, after = plan.page(
            await tx.fetch(sql.format(plan.condition, plan.order)), lambda row: row["id"]
        )
        await tx.execute("DELETE FROM paged WHERE id = $1", first[-1])
        await tx.execute(
            "INSERT INTO paged SELECT 'new', '', created, size, share, active FROM paged LIMIT 1"
        )
        plan = THINGS.plan(sort="name", after=after, limit=200)
        rest = await tx.fetch(
            f"SELECT * FROM paged t WHERE {plan.condition} ORDER BY {plan.order}", *plan.parameters
        )
    assert len(first) + len(rest) == 60
    assert not {row["id"] for row in rest} & {*first, "new"}


def row(**values: object) -> Row:
    return {"id": "1", "name": "a", "created": START, "size": None, "share": None, "active": True, **values}


def cursor(sort: str, **values: object) -> str:
    return THINGS.plan(sort=sort, after="", limit=1).cursor(row(**values))


def forged(sort: str, value: object, id: str = "1") -> str:
    return paging._encode(paging._Cursor(sort, value, id))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "after",
    [
        "garbage", "ü", "=", "AAAA", "\x00", " ", "a" * 1000,
        cursor("name")[:-2], cursor("name")[1:], cursor("name") + "AAAA",
        base64.urlsafe_b64encode(b"\xff" * 40).decode(),
        cursor("-name"), cursor("created"),
        forged("name", 5), forged("name", None), forged("name", "a\x00b"), forged("name", "a", "\x00"), forged("name", True),
    ],
)  # fmt: skip
def test_a_cursor_that_is_not_ours_is_refused_with_a_cure(after: str) -> None:
    with pytest.raises(Invalid) as caught:
        THINGS.plan(sort="name", after=after, limit=10)
    assert caught.value.code == "paging.cursor"
    assert caught.value.context["field"] == "after"
    assert caught.value.cure


@pytest.mark.parametrize(
    ("sort", "value"),
    [
        ("size", 2**63),
        ("size", 1.5),
        ("size", True),
        ("created", "yesterday"),
        ("created", "2026-01-01"),
        ("created", "0001-01-01T00:00:00+23:59"),
        ("created", "9999-12-31T23:59:59-00:01"),
        ("on", 1),
    ],
)
def test_a_forged_value_of_another_kind_never_reaches_the_database(sort: str, value: object) -> None:
    with pytest.raises(Invalid):
        THINGS.plan(sort=sort, after=forged(sort, value), limit=10)


def test_sorting_by_an_unknown_field_names_the_known_ones() -> None:
    with pytest.raises(Invalid) as caught:
        THINGS.plan(sort="name; DROP TABLE paged", after="", limit=10)
    assert caught.value.code == "paging.sort"
    assert "created" in caught.value.cure


def test_what_a_cursor_holds_goes_into_parameters_only() -> None:
    plan = THINGS.plan(sort="name", after=cursor("name", name="' OR 1=1 --"), limit=10, first_parameter=3)
    assert plan.condition == "(name, t.id) > ($3::text, $4::text)"
    assert plan.parameters == ("' OR 1=1 --", "1")


def test_a_column_must_be_a_plain_name() -> None:
    with pytest.raises(Internal):
        SortColumn("name; DROP TABLE paged")


def test_a_cursor_of_the_longest_name_fits_into_a_request() -> None:
    assert len(cursor("name", name="ü" * 120)) <= 1000

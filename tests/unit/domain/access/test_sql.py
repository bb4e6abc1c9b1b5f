"""The filter in PostgreSQL selects exactly the rows that the decision allows, whatever is in rules and rows."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from argosy.domain import access
from argosy.domain.access import ENTITIES, Column, ColumnMap, Condition, Resource, Rule, Subject
from argosy.kit.errors import Internal
from tests.unit.domain.access.conftest import Database
from tests.unit.domain.access.worlds import (
    ACCOUNT,
    LABEL_KEYS,
    OTHER_ACCOUNT,
    TAGS,
    WORDS,
    rule_lists,
    rule_set,
    subjects,
)

JSON_COLUMNS = ColumnMap(attributes_json="attributes", labels="labels")
REAL_COLUMNS = ColumnMap(
    account="apps.account",
    attributes={
        "CLUSTER": Column("cluster"),
        "NAMESPACE": Column("namespace"),
        "RUNTIME": Column("apps.runtimes", many=True),
        "GIT_SOURCE": Column("git_sources", many=True),
    },
    attributes_json="attributes",
    labels="apps.labels",
)
TAG_COLUMNS = ColumnMap(tags="tags", related_tags={"project": "project_tags"})

SCHEMA = """
CREATE TABLE apps (id text PRIMARY KEY, account text, attributes jsonb, labels jsonb,
                   cluster text, namespace text, runtimes text[], git_sources text[]);
CREATE INDEX ON apps USING gin (attributes jsonb_path_ops);
CREATE TABLE pipelines (id text PRIMARY KEY, account text, tags text[], project_tags text[]);
CREATE INDEX ON pipelines USING gin (tags);
"""
several_examples = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pick(dice: random.Random, words: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(dice.sample(words, dice.randint(0, most)))


def random_apps() -> list[Resource]:
    dice = random.Random(20)
    single, several = ("CLUSTER", "NAMESPACE"), ("RUNTIME", "GIT_SOURCE", "PRODUCT_NAME")
    return [
        Resource(
            "applications",
            f"app-{number}",
            dice.choice((ACCOUNT, ACCOUNT, OTHER_ACCOUNT)),
            attributes={
                **{name: pick(dice, WORDS, 1) for name in single if dice.random() < 0.9},
                **{name: pick(dice, WORDS, 2) for name in several if dice.random() < 0.8},
            },
            labels={key: dice.choice(WORDS) for key in LABEL_KEYS if dice.random() < 0.6},
        )
        for number in range(300)
    ]


def random_pipelines() -> list[Resource]:
    dice = random.Random(21)
    return [
        Resource(
            "pipeline",
            f"pipeline-{number}",
            dice.choice((ACCOUNT, ACCOUNT, OTHER_ACCOUNT)),
            tags=pick(dice, (*TAGS, "*", "untagged"), 3),
            related_tags={"project": pick(dice, TAGS, 2)} if dice.random() < 0.7 else {},
        )
        for number in range(200)
    ]


APPS, PIPELINES = random_apps(), random_pipelines()


def app_row(app: Resource) -> tuple[object, ...]:
    found = app.attributes
    one = [next(iter(found.get(name, ())), None) for name in ("CLUSTER", "NAMESPACE")]
    many = [list(found[name]) if name in found else None for name in ("RUNTIME", "GIT_SOURCE")]
    documents = [msgspec.json.encode(document).decode() for document in (found, app.labels)]
    return app.id, app.account, *documents, *one, *many


def pipeline_row(pipeline: Resource) -> tuple[object, ...]:
    project = pipeline.related_tags.get("project")
    return pipeline.id, pipeline.account, list(pipeline.tags), None if project is None else list(project)


@pytest.fixture(scope="session")
def rows(database: Database) -> Database:
    database.execute(SCHEMA)
    database.insert("apps", [app_row(app) for app in APPS])
    database.insert("pipelines", [pipeline_row(pipeline) for pipeline in PIPELINES])
    return database


def allowed(subject: Subject, action: str, resources: list[Resource], rules: list[Rule]) -> set[str]:
    compiled = rule_set(*rules)
    return {each.id for each in resources if access.decide(subject, action, each, compiled).allowed}


def selected(
    database: Database, table: str, columns: ColumnMap, subject: Subject, action: str, rules: list[Rule]
) -> set[str]:
    entity = "pipeline" if table == "pipelines" else "applications"
    rows = access.filter(subject, entity, action, rule_set(*rules))
    condition, parameters = access.to_sql(rows, columns, first_parameter=2)
    # $1 stands for the store's own parameters, which come before the filter's.
    return database.ids(f"SELECT id FROM {table} WHERE id <> $1 AND {condition}", ["", *parameters])


application_questions = st.tuples(
    subjects("applications"), st.sampled_from(("VIEW", "SYNC", "REFRESH")), rule_lists("applications", most=8)
)
EVERYWHERE = Subject("ana", ACCOUNT, teams=frozenset({"dev"}))


def viewing(*conditions: Condition) -> tuple[Subject, str, list[Rule]]:
    """A question about one rule that lets the team look at what fits the conditions."""
    return EVERYWHERE, "VIEW", [Rule("r", ACCOUNT, "r", "applications", ("dev",), ("VIEW",), conditions)]


@pytest.mark.parametrize("columns", [JSON_COLUMNS, REAL_COLUMNS], ids=["jsonb", "columns"])
def test_postgresql_lists_exactly_the_applications_that_the_decision_allows(
    rows: Database, columns: ColumnMap
):
    @several_examples
    @given(application_questions)
    @example(viewing())
    @example(viewing(Condition("LABEL", ("a_b", "q\"uo'te"), "ti\"er'")))
    @example(viewing(Condition("LABEL", ("*",), "team"), Condition("NAMESPACE", ("a_b", "back*"))))
    @example(
        viewing(Condition("GIT_SOURCE", ("a%b", "p*d", "*_*")), Condition("PRODUCT_NAME", ("prod", "*b")))
    )
    def same(question: tuple[Subject, str, list[Rule]]) -> None:
        subject, action, rules = question
        expected = allowed(subject, action, APPS, rules)
        assert selected(rows, "apps", columns, subject, action, rules) == expected

    same()


def test_postgresql_lists_exactly_the_pipelines_that_the_decision_allows(rows: Database):
    @several_examples
    @given(subjects("pipeline"), st.sampled_from(("read", "run")), rule_lists("pipeline", most=8))
    def same(subject: Subject, action: str, rules: list[Rule]) -> None:
        expected = allowed(subject, action, PIPELINES, rules)
        assert selected(rows, "pipelines", TAG_COLUMNS, subject, action, rules) == expected

    same()


def test_the_examples_reach_rows_at_all():
    for question in (viewing(), viewing(Condition("NAMESPACE", ("a_b", "back*")))):
        assert 0 < len(allowed(question[0], question[1], APPS, question[2])) < len(APPS)


def test_the_filter_of_one_namespace_per_rule_is_one_indexable_lookup():
    rules = [
        Rule(
            f"r{n}",
            ACCOUNT,
            f"r{n}",
            "applications",
            ("dev",),
            ("VIEW",),
            (Condition("NAMESPACE", (f"ns-{n}",)),),
        )
        for n in range(3)
    ]

    condition, parameters = access.to_sql(
        access.filter(EVERYWHERE, "applications", "VIEW", rule_set(*rules)), REAL_COLUMNS, first_parameter=4
    )

    assert condition == "(apps.account = $4::text AND namespace = ANY($5::text[]))"
    assert parameters == [ACCOUNT, ["ns-0", "ns-1", "ns-2"]]


def test_jsonb_conditions_are_served_by_one_gin_index(rows: Database):
    subject, action, rules = viewing(Condition("NAMESPACE", ("prod", "a_b")))
    condition, parameters = access.to_sql(
        access.filter(subject, "applications", action, rule_set(*rules)), JSON_COLUMNS
    )
    rows.execute("SET enable_seqscan = off")
    try:
        plan = rows.ids(f"EXPLAIN SELECT id FROM apps WHERE {condition}", parameters)
    finally:
        rows.execute("RESET enable_seqscan")

    assert any("Bitmap Index Scan" in line for line in plan)


def test_nothing_a_user_wrote_becomes_sql_text():
    hostile = "x'); DROP TABLE apps; --"
    conditions = (
        Condition("LABEL", (hostile, f"{hostile}*"), hostile),
        Condition("NAMESPACE", (hostile, f"{hostile}*")),
    )
    subject, action, rules = viewing(*conditions)

    for columns in (JSON_COLUMNS, REAL_COLUMNS):
        rows = access.filter(subject, "applications", action, rule_set(*rules))
        condition, _ = access.to_sql(rows, columns)
        assert "DROP" not in condition


@pytest.mark.parametrize(
    "predicate",
    [
        access.OneOf("NAMESPACE", ("x",)),
        access.LabelIs("team", ("x",)),
        access.TagsAny(("x",)),
        access.Untagged("project"),
    ],
)
def test_a_filter_on_something_the_table_does_not_hold_is_refused(predicate: access.Predicate):
    with pytest.raises(Internal) as refusal:
        access.to_sql(predicate, ColumnMap())

    assert refusal.value.code == "access_column_missing"


@pytest.mark.parametrize("name", ["a b", "a;--", 'a"', "A", "a.b.c", "1a"])
def test_a_column_map_takes_plain_identifiers_only(name: str):
    with pytest.raises(Internal):
        ColumnMap(tags=name)


def test_an_attribute_that_is_not_a_word_of_the_vocabulary_never_reaches_sql():
    with pytest.raises(Internal):
        access.to_sql(access.Glob("x' --", ("*",)), JSON_COLUMNS)


def test_every_attribute_of_the_vocabulary_can_be_filtered():
    for entity in ENTITIES.values():
        for attribute in set(entity.attributes) - {"LABEL"}:
            access.to_sql(access.OneOf(attribute, ("x",)), JSON_COLUMNS)

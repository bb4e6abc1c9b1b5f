"""Access rules: these teams may do these actions on what matches."""

from __future__ import annotations

import argparse

from argosy.cli.api import Api
from argosy.cli.failures import USAGE, Failure
from argosy.cli.resources import Created, Noun, ids_of


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--entity", default="", metavar="ENTITY", help="only rules for this kind of thing")


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument(
        "--entity",
        required=True,
        metavar="ENTITY",
        help="applications, pipeline, … (GET /api/access/vocabulary lists them)",
    )
    parser.add_argument(
        "--team", action="append", required=True, metavar="TEAM", help="name or id; may be repeated"
    )
    parser.add_argument("--action", action="append", required=True, metavar="ACTION", help="may be repeated")
    parser.add_argument(
        "--where", action="append", default=[], metavar="ATTRIBUTE=VALUE[,VALUE]",
        help="NAMESPACE=prod-*, LABEL:tier=web; all must hold",
    )  # fmt: skip
    parser.add_argument(
        "--tag", action="append", default=[], metavar="TAG", help="for pipelines, projects, clusters"
    )
    parser.add_argument("--tags-all", action="store_true", help="all tags must be there, not any one")


def condition(text: str) -> dict[str, object]:
    """`NAMESPACE=a,b` or `LABEL:key=a`."""
    name, found, values = text.partition("=")
    attribute, _, key = name.partition(":")
    if not found or not attribute or not all(values.split(",")):
        raise Failure(
            f"--where {text!r} is not ATTRIBUTE=VALUE",
            cure="for example --where NAMESPACE=prod-*",
            status=USAGE,
        )
    return {"attribute": attribute, "key": key, "values": values.split(",")}


def _create(api: Api, asked: argparse.Namespace) -> Created:
    rule = api.post(
        "/api/access-rules",
        {
            "name": asked.name,
            "entity": asked.entity,
            "teams": ids_of(api, "/api/teams", asked.team, "team"),
            "actions": asked.action,
            "conditions": [condition(text) for text in asked.where],
            "tags": asked.tag,
            "tag_logic": "all" if asked.tags_all else "any",
        },
    )
    return Created(rule, rule)


NOUN = Noun(
    title="access-rule",
    plural="access-rules",
    found=("get access-rules --entity applications",),
    path="/api/access-rules",
    columns=(("NAME", "name"), ("ENTITY", "entity"), ("TEAMS", "teams.name"), ("ACTIONS", "actions"),
             ("ENABLED", "enabled"), ("ID", "id")),
    filters=_filters,
    query=lambda _, asked: {"entity": asked.entity},
    options=_options,
    create=_create,
    made=("create access-rule shop --entity applications --team developers --action SYNC --where 'NAMESPACE=shop-*'",
          "create access-rule builds --entity pipeline --team developers --action run --tag backend"),
    deletes="its teams lose what only this rule allows",
)  # fmt: skip

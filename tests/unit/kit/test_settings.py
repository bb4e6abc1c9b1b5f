"""Settings come from defaults, the file and the environment, in this order; what nobody knows is refused by name."""

from __future__ import annotations

import msgspec
import pytest

from argosy.kit.errors import BadRequest
from argosy.kit.settings import load


class Edge(msgspec.Struct, frozen=True):
    burst: int = 5
    secure: bool = False
    proxies: list[str] = []


def test_the_environment_wins_over_the_file_and_the_file_over_the_defaults() -> None:
    file = {"edge": {"burst": 7, "secure": True}}

    assert load(Edge, "edge", file=file, environ={"ARGOSY_EDGE_BURST": "9"}) == Edge(9, True)


def test_a_list_in_the_environment_is_written_with_commas() -> None:
    environ = {"ARGOSY_EDGE_PROXIES": "192.0.2.1, 192.0.2.2"}

    assert load(Edge, "edge", file={}, environ=environ).proxies == ["192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize(
    "values, said", [({"bursts": 1}, "edge.bursts does not exist"), ({"burst": "many"}, "burst")]
)
def test_what_is_unknown_or_of_another_kind_is_refused_by_name(
    values: dict[str, str | int], said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        load(Edge, "edge", file={"edge": values}, environ={})

"""What holds of combined generators, whatever they combine."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.objects import Object
from tests.unit.argo.cd.application_sets.worlds import application_set, generated, names

words = st.text("abcxyz", min_size=1, max_size=3)
values = st.one_of(words, st.integers(0, 9), st.booleans(), st.dictionaries(words, words, max_size=2))


def elements(key: str, *, most: int = 5) -> st.SearchStrategy[list[Object]]:
    """Of which each has another value for the key."""
    rest = st.dictionaries(words.map(lambda word: f"p{word}"), values, max_size=3)
    return st.dictionaries(words, rest, max_size=most).map(
        lambda found: [{key: name, **more} for name, more in found.items()]
    )


def listed(found: list[Object]) -> Object:
    return {"list": {"elements": found}}


@given(first=elements("k"), second=elements("l"))
def test_a_matrix_has_each_pair_once(first: list[Object], second: list[Object]) -> None:
    generators = json.dumps([{"matrix": {"generators": [listed(first), listed(second)]}}])
    found = names(generated(application_set(generators, template="{{ .k }}-{{ .l }}")))
    assert sorted(found) == sorted(f"{one['k']}-{other['l']}" for one in first for other in second)


@given(first=elements("k"), second=elements("k"), third=elements("k"))
def test_a_merge_has_what_the_first_has_each_once_and_the_last_word_is_the_last(
    first: list[Object], second: list[Object], third: list[Object]
) -> None:
    several = [listed(one) for one in (first, second, third)]
    generators = json.dumps([{"merge": {"mergeKeys": ["k"], "generators": several}}])
    template = '{{ .k }}|{{ index . "pa" | toJson }}'
    found = names(generated(application_set(generators, template=template)))
    assert [one.split("|")[0] for one in found] == [one["k"] for one in first]
    for one in found:
        name, told = one.split("|")
        said = [
            other["pa"]
            for part in (first, second, third)
            for other in part
            if other["k"] == name and "pa" in other
        ]
        if said and not isinstance(said[-1], dict):
            assert json.loads(told) == said[-1]


@given(found=elements("k", most=8), chosen=words)
def test_a_selector_and_its_opposite_part_everything(found: list[Object], chosen: str) -> None:
    def with_operator(operator: str) -> list[str]:
        selector = {"matchExpressions": [{"key": "k", "operator": operator, "values": [chosen]}]}
        return names(
            generated(
                application_set(json.dumps([{**listed(found), "selector": selector}]), template="{{ .k }}")
            )
        )

    inside, outside = with_operator("In"), with_operator("NotIn")
    assert sorted(inside + outside) == sorted(one["k"] for one in found)
    assert set(inside) <= {chosen}


@given(found=elements("k"))
def test_the_same_world_gives_the_same_applications(found: list[Object]) -> None:
    wanted = application_set(json.dumps([listed(found)]), template="{{ .k }}")
    assert generated(wanted) == generated(wanted)

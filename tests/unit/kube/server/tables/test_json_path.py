from __future__ import annotations

import pytest

from argosy.kube.server.tables.json_path import JsonPath, PathError

OBJECT = {
    "spec": {
        "a": 1,
        "dotted.name": 2,
        "list": [{"type": "A", "n": 1}, {"type": "B", "n": 2, "extra": True}, {"type": "C", "n": 3}],
        "words": ["x", "y", "z"],
    }
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.a", [1]),
        (".spec.dotted\\.name", [2]),
        (".spec['a']", [1]),
        (".spec.words[0]", ["x"]),
        (".spec.words[-1]", ["z"]),
        (".spec.words[0:2]", ["x", "y"]),
        (".spec.words[::2]", ["x", "z"]),
        (".spec.words[*]", ["x", "y", "z"]),
        (".spec.words[0,2]", ["x", "z"]),
        ('.spec.list[?(@.type=="B")].n', [2]),
        (".spec.list[?(@.type=='B')].n", [2]),
        (".spec.list[?(@.n>1)].type", ["B", "C"]),
        (".spec.list[?(@.n<=2)].type", ["A", "B"]),
        (".spec.list[?(@.n!=2)].type", ["A", "C"]),
        (".spec.list[?(@.extra)].type", ["B"]),
        (".spec.list[?(@.extra==true)].type", ["B"]),
        ('.spec.list[?(@.type==")")].n', []),
        ("..extra", [True]),
        (".spec.list[*].n", [1, 2, 3]),
        (".spec.missing.deeper", []),
        (".spec.a.b", []),
        (".spec.words[1:1]", []),
    ],
)
def test_a_path_finds_what_it_leads_to(path: str, found: list[object]) -> None:
    assert JsonPath(path).find(OBJECT) == found


@pytest.mark.parametrize(
    "path",
    [
        ".a[",
        ".a[x]",
        ".a[?(@.b==1]",
        ".a[?(@.b",
        "....a",
        ".a[.b]#",
        ".a[1e3]",
    ],
)
def test_a_path_that_cannot_be_read_is_refused(path: str) -> None:
    with pytest.raises(PathError):
        JsonPath(path)


@pytest.mark.parametrize(
    "path",
    [
        ".spec.a[0]",
        ".spec.words[7]",
        ".spec.words[2:1]",
        ".spec.words[0:2:0]",
        ".spec[?(@.a)]",
        ".spec.list[?(@.type==1)]",
        ".spec.list[?(@.extra<true)]",
        ".spec.list[?(@.n=~1)]",
        ".spec[0]x",
    ],
)
def test_a_path_that_does_not_fit_the_value_says_so(path: str) -> None:
    with pytest.raises(PathError):
        JsonPath(path).find(OBJECT)

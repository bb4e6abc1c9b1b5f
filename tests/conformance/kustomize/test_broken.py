"""Whatever people break in a kustomization, the answer is objects or an error for people, and never a stack."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.manifests.kustomize import build
from argosy.manifests.tree import SourceError
from tests.conformance.kustomize import recorded_cases as cases
from tests.trees import Files

_CASES = cases.load()
_TOKENS = (
    "[]",
    "{}",
    "~",
    "5",
    '"x"',
    "[[]]",
    "{a: {b: c}}",
    "[~]",
    "true",
    "- x",
    "text",
    ".",
    "-1",
    "[{}]",
    "{name: [x]}",
    "&a [*a]",
    "$(A)",
    "(",
    "*",
)


def _files(case: cases.Case) -> dict[str, str]:
    found = {str(file.relative_to(case.folder)): file for file in case.folder.rglob("*") if file.is_file()}
    return {name: file.read_text() for name, file in found.items() if Path(name).name not in cases.RESERVED}


@st.composite
def _broken(draw: st.DrawFn) -> tuple[Files, str]:
    case = draw(st.sampled_from(_CASES))
    files = _files(case)
    for _ in range(draw(st.integers(1, 3))):
        name = draw(st.sampled_from(sorted(files)))
        lines = files[name].split("\n")
        at = draw(st.integers(0, len(lines) - 1))
        token = draw(st.sampled_from(_TOKENS))
        match draw(st.sampled_from(("line", "value", "item", "word"))):
            case "line":
                del lines[at]
            case "value":
                lines[at] = re.sub(r":.*", f": {token}".replace("\\", ""), lines[at], count=1)
            case "item":
                lines[at] = re.sub(r"- .*", f"- {token}", lines[at], count=1)
            case _:
                words = re.split(r"([\s,:\[\]{}]+)", lines[at])
                words[draw(st.integers(0, len(words) - 1))] = token
                lines[at] = "".join(words)
        files[name] = "\n".join(lines)
    return Files({name: text.encode() for name, text in files.items()}), case.path


@given(broken=_broken())
@settings(max_examples=400, deadline=None)
def test_a_broken_kustomization_gives_objects_or_an_error_for_people(broken: tuple[Files, str]) -> None:
    tree, path = broken
    try:
        objects = build(tree, path)
    except SourceError as error:
        assert str(error)
        assert str(error).count("\n") <= 2
    else:
        assert all(type(one) is dict for one in objects)

"""The UI's types are the contracts' types: the generated file is fresh, and each kind of field has its form."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
import pytest

from tools import ui_types


def test_the_committed_types_are_those_of_the_contracts() -> None:
    assert ui_types.OUTPUT.read_text() == ui_types.typescript(), "run: python -m tools.ui_types"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (str, "string"),
        (datetime | None, "string | null"),
        (list[Literal["a", "b"]], '("a" | "b")[]'),
        (dict[str, list[str]], "Record<string, string[]>"),
        (Annotated[int, msgspec.Meta(ge=1)], "number"),
        (msgspec.Raw, "unknown"),
    ],
)
def test_a_python_type_has_one_form_in_typescript(kind: object, said: str) -> None:
    assert ui_types.type_of(kind) == said


def test_a_type_without_a_form_is_refused() -> None:
    with pytest.raises(TypeError, match="no form in TypeScript"):
        ui_types.type_of(complex)

"""The recordings are still what the real kustomize answers."""

from __future__ import annotations

import pytest

from argosy.manifests.kustomize.documents import many_old_yaml
from tests.conformance.kustomize import recorded_cases as cases
from tests.needs import absent
from tools import oracle_kustomize

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _real_kustomize() -> None:
    if not oracle_kustomize.binary().is_file():
        absent("the real kustomize is not built (make oracle)")


@pytest.mark.parametrize("case", cases.load(), ids=lambda one: one.name)
def test_the_real_kustomize_still_answers_so(case: cases.Case) -> None:
    answer = oracle_kustomize.answer(case)

    if case.fails:
        assert answer.output == ""
        assert case.says in answer.error
    else:
        assert many_old_yaml(answer.output) == case.expected

"""Random kustomizations: whatever the real kustomize makes of one, ours makes too."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings

from argosy.manifests.kustomize import build
from argosy.manifests.kustomize.documents import many_old_yaml
from argosy.manifests.tree import SourceError
from tests.conformance.kustomize import random_trees
from tests.conformance.kustomize import recorded_cases as cases
from tests.needs import absent
from tests.trees import Folder
from tools import oracle_kustomize


@pytest.mark.long
@pytest.mark.timeout(600)
@given(files=random_trees.trees())
@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_kustomizations_come_out_as_from_the_real_one(files: dict[str, str]) -> None:
    if not oracle_kustomize.binary().is_file():
        absent("the real kustomize is not built (make oracle)")
    with tempfile.TemporaryDirectory() as scratch:
        for path, content in files.items():
            file = Path(scratch) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        case = cases.Case(Path(scratch))
        answer = oracle_kustomize.answer(case)
        note("\n".join(f"--- {path}\n{content}" for path, content in files.items()))
        note(answer.output or answer.error)
        try:
            ours = build(Folder(Path(scratch)), "overlay")
        except SourceError as error:
            assert not answer.output, str(error)
        else:
            assert answer.output or not answer.error
            assert ours == many_old_yaml(answer.output)

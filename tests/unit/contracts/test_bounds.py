"""Whatever people can send has a bound in its type, so that no single request can keep a service busy for long."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest
from msgspec import inspect

from argosy.contracts.identity import Why
from argosy.platform.gateway.routes import OWN, forwarded

SENT = {one.operation.request for one in forwarded()} | {
    kind for own in OWN for kind in (own.body, own.query) if kind is not None
}


@pytest.mark.parametrize("kind", sorted(SENT, key=lambda kind: kind.__name__))
def test_every_text_and_collection_in_a_request_has_a_bound(kind: type[msgspec.Struct]) -> None:
    assert list(_unbounded(inspect.type_info(kind), kind.__name__)) == []


def test_a_question_of_a_megabyte_is_refused() -> None:
    endless = {"NAMESPACE": ["a" * 200] * 4000}
    with pytest.raises(msgspec.ValidationError, match="length"):
        msgspec.convert(
            {"user": "u", "action": "SYNC", "entity": "applications", "attributes": endless}, type=Why
        )


def _unbounded(kind: inspect.Type, path: str) -> Iterator[str]:
    match kind:
        case inspect.StructType():
            for field in kind.fields:
                yield from _unbounded(field.type, f"{path}.{field.name}")
        case inspect.Metadata():
            yield from _unbounded(kind.type, path)
        case inspect.UnionType():
            for one in kind.types:
                yield from _unbounded(one, path)
        case inspect.ListType() | inspect.VarTupleType():
            if kind.max_length is None:
                yield path
            yield from _unbounded(kind.item_type, f"{path}[]")
        case inspect.DictType():
            if kind.max_length is None:
                yield path
            yield from _unbounded(kind.key_type, f"{path}.<name>")
            yield from _unbounded(kind.value_type, f"{path}.<value>")
        case inspect.StrType() if kind.max_length is None and not (kind.pattern or "").endswith("{24}$"):
            yield path

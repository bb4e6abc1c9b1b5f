"""An entry as bytes that never vary: what the chain's hash covers. `sealer` writes by it, `verification` reads.

Before an entry is sealed it is made storable: text without NUL and of bounded length, a known account and id.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import msgspec

from argosy.contracts.audit import Actor, Recorded
from argosy.kit.errors import Invalid
from argosy.kit.ids import is_id

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST = 500
_LARGEST = 256 * 1024
_VERSION = 1
_ENCODER = msgspec.json.Encoder()


def canonical(entry: Recorded) -> bytes:
    """Names and order of the fields are fixed here for ever; another form is another version."""
    who = entry.actor
    return _ENCODER.encode(
        (
            _VERSION, entry.id, entry.account, entry.kind, (entry.time - _EPOCH) // timedelta(microseconds=1),
            who.kind, who.id, who.name, who.credential, entry.remote, entry.user_agent, entry.service,
            entry.operation, entry.resource, entry.resource_id, entry.resource_name, entry.result, entry.error,
            entry.request_id, bytes(entry.before).decode(), bytes(entry.after).decode(),
        )
    )  # fmt: skip


def storable(record: Recorded) -> Recorded:
    """Raises `Invalid` for what no service of ours would send: it is set aside as a dead letter, with this reason."""
    if not is_id(record.id) or not (record.account == "" or is_id(record.account)):
        raise Invalid("an audit record needs an id and the id of an account, or none", code="audit.record")
    texts = {
        name: _text(getattr(record, name))
        for name in (
            "remote", "user_agent", "service", "operation", "resource", "resource_id", "resource_name", "error",
            "request_id",
        )
    }  # fmt: skip
    who = record.actor
    return msgspec.structs.replace(
        record,
        time=record.time.astimezone(UTC),
        actor=Actor(_text(who.kind), _text(who.id), _text(who.name), _text(who.credential)),
        before=_bounded(record.before),
        after=_bounded(record.after),
        **texts,
    )


def _text(value: str) -> str:
    return value.replace("\0", "\N{REPLACEMENT CHARACTER}")[:_LONGEST]


def _bounded(value: msgspec.Raw) -> msgspec.Raw:
    """A value too large to keep is named by its size and hash: the log never grows by somebody's upload."""
    content = bytes(value)
    if len(content) <= _LARGEST:
        return msgspec.Raw(content)
    told = {"omitted_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    return msgspec.Raw(msgspec.json.encode(told))

"""Which objects a list or watch is about: its selectors, asked of stored bytes.

Labels and names are read without decoding the rest; only a selector on a field of its own kind needs the whole object.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.options import Listing
from argosy.kube.server.rules.selectors import FieldSelector, LabelSelector, check_fields

_ALWAYS = frozenset({"metadata.name", "metadata.namespace"})


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None


class _Head(msgspec.Struct):
    metadata: _Metadata


_HEAD = msgspec.json.Decoder(_Head)
_WHOLE = msgspec.json.Decoder(Object)


class Matcher:
    def __init__(self, call: Call) -> None:
        self._served = call.served
        self._rules = call.served.rules
        self._labels: LabelSelector | None = None
        self._fields: FieldSelector | None = None
        self._deep = False
        self._name = call.address.name
        """`/watch/…/NAME`, the old way of watching one object."""

    def take(self, asked: Listing) -> None:
        """Raises 400 for a field that this kind cannot be asked for."""
        served = self._served
        check_fields(
            asked.fields,
            self._rules.field_names,
            namespaced=served.resource.namespaced,
            custom=served.custom,
        )
        self._labels = asked.labels if asked.labels.requirements else None
        self._fields = asked.fields if asked.fields.terms else None
        self._deep = any(term.field not in _ALWAYS for term in asked.fields.terms)

    @property
    def everything(self) -> bool:
        return self._labels is None and self._fields is None and not self._name

    def matches(self, body: bytes) -> bool:
        if self.everything:
            return True
        head = _HEAD.decode(body).metadata
        if self._name and head.name != self._name:
            return False
        if self._labels is not None and not self._labels.matches(head.labels or {}):
            return False
        return self._fields is None or self._fields.matches(self._asked(head, body))

    def _asked(self, head: _Metadata, body: bytes) -> Mapping[str, str]:
        found = {"metadata.name": head.name, "metadata.namespace": head.namespace}
        if not self._deep:
            return found
        obj = _WHOLE.decode(body)
        return found | self._rules.fields(obj if self._served.as_stored else self._served.from_stored(obj))

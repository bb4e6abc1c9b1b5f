"""A structural schema made ready for walking beside a value: what may be there, what is kept, what is filled in.

`fitting`, `defaulting`, `embedded` and `list_types` walk it for every custom object. Big definitions have ten thousand nodes of
which an object touches fifty, so each node is made when it is reached first.
"""

from __future__ import annotations

from typing import Any

from argosy.kube.objects import Object

META = frozenset({"apiVersion", "kind", "metadata"})


class Shape:
    __slots__ = (
        "_items",
        "_rest",
        "default",
        "defaults",
        "embedded",
        "keeps_null",
        "keys",
        "list_type",
        "nullable",
        "open",
        "properties",
        "raw",
        "with_rest",
    )

    def __init__(self, raw: Object, *, root: bool = False) -> None:
        self.raw = raw
        self.properties = _Properties(raw.get("properties") or {})
        self.nullable = bool(raw.get("nullable"))
        self.default = raw.get("default")
        self.keeps_null = self.nullable or self.default is not None
        """Whether a null stays when an object is read (a default may take its place afterwards)."""
        self.open = bool(raw.get("x-kubernetes-preserve-unknown-fields"))
        self.embedded = root or bool(raw.get("x-kubernetes-embedded-resource"))
        self.list_type = raw.get("x-kubernetes-list-type") or ""
        self.keys: tuple[str, ...] = tuple(raw.get("x-kubernetes-list-map-keys") or ())
        self.with_rest = raw.get("additionalProperties") is not None
        """Whether fields without a name of their own may be there."""
        self.defaults = [
            (name, one["default"], bool(one.get("nullable")))
            for name, one in self.properties.raw.items()
            if one.get("default") is not None
        ]
        self._rest = _Later(raw.get("additionalProperties"))
        self._items = _Later(raw.get("items"))

    @property
    def rest(self) -> Shape | None:
        """What they are. None: nothing is known of them, so nothing that they hold is kept."""
        return self._rest.shape

    @property
    def items(self) -> Shape | None:
        return self._items.shape

    @property
    def plain(self) -> bool:
        """Whatever it is, it is taken as it is."""
        return self.open and not self.properties.raw and not self.with_rest and not self.embedded

    def child(self, name: str) -> Shape | None:
        """Of a field, whether it has a name here or not."""
        return self.properties[name] or (self.rest if self.with_rest else None)


class _Properties(dict[str, Shape | None]):
    """By name; None for what is not there."""

    def __init__(self, raw: Object) -> None:
        super().__init__()
        self.raw = raw

    def __missing__(self, name: str) -> Shape | None:
        found = self.raw.get(name)
        if found is None:
            return None
        made = self[name] = Shape(found)
        return made


class _Later:
    """A schema inside, unless it is only a yes or a no."""

    __slots__ = ("_made", "_raw")

    def __init__(self, raw: Any) -> None:
        self._raw = raw if isinstance(raw, dict) else None
        self._made: Shape | None = None

    @property
    def shape(self) -> Shape | None:
        if self._made is None and self._raw is not None:
            self._made = Shape(self._raw)
        return self._made

"""Lua has one kind of table: an empty map comes back as an empty list. The object that went in says which it was."""

from __future__ import annotations

from argosy.kube.objects import Object


def repaired(result: Object, source: Object) -> Object:
    """`result` with every empty list made an empty map where `source` has a map. Changes nothing else, and neither argument."""
    return {key: _value(value, source[key]) if key in source else value for key, value in result.items()}


def _value(value: object, was: object) -> object:
    if isinstance(value, dict) and isinstance(was, dict):
        return repaired(value, was)
    if isinstance(value, list) and isinstance(was, dict) and not value:
        return {}
    if isinstance(value, list) and isinstance(was, list):
        return [_value(item, was[at]) if at < len(was) else item for at, item in enumerate(value)]
    return value

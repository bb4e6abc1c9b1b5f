"""What a schema says to a strategic merge patch: of each field, how it is merged and what its items are."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.schema import List, Map, Node, Scalar, Struct, Untyped
from argosy.kube.server.patches.refused import malformed

_GO_KINDS = {"int32": "int32", "int64": "int64", "bool": "bool", "float64": "float64", "bytes": "slice"}
_GO_STRUCTS = {"Time", "MicroTime", "Quantity", "IntOrString"}


@dataclass(frozen=True, slots=True)
class Rule:
    node: Node
    """Of the field, or of its items."""
    strategy: str = ""
    """`merge`, `replace` or nothing. (`retainKeys` only says that such a directive may come; it is obeyed anyway.)"""
    key: str = ""


def of_field(holder: Node, name: str) -> Rule:
    if not isinstance(holder, Struct):
        kind = go_kind(holder)
        if kind != "struct":
            raise malformed(
                f"merging an object in json but data type is not struct, instead is: {kind}",
            )
        raise _unknown(_go_name(holder), name)
    member = holder.fields.get(name)
    if member is None:
        raise _unknown(holder.name.rpartition(".")[2], name)
    strategies = [one for one in member.strategy.split(",") if one != "retainKeys"]
    return Rule(member.node, strategies[0] if strategies else "", member.merge_key)


def of_items(holder: Node, name: str) -> Rule:
    rule = of_field(holder, name)
    if not isinstance(rule.node, List):
        raise malformed(f"expected slice or array type, but got: {go_kind(holder)}")
    return Rule(rule.node.item, rule.strategy, rule.key)


def _unknown(struct: str, name: str) -> Exception:
    return malformed(f'unable to find api field in struct {struct} for the json field "{name}"')


def go_kind(node: Node) -> str:
    match node:
        case Map():
            return "map"
        case List():
            return "slice"
        case Scalar(type=type) if type not in _GO_STRUCTS:
            return _GO_KINDS.get(type, "string")
    return "struct"


def _go_name(node: Node) -> str:
    match node:
        case Scalar(type=type):
            return type
        case Untyped(embedded=True):
            return "RawExtension"
    return "JSON"

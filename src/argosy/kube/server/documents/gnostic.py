"""OpenAPI 2 in protobuf, with the numbers of gnostic's `openapi.v2`: the only form that some Go clients read.

A writer of messages by table: what `schemas` and `paths` produce is all it knows.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from argosy.kube.objects import Object


def document(found: Object) -> bytes:
    return b"".join(
        (
            _text(1, found["swagger"]),
            _message(2, _text(1, found["info"]["title"]) + _text(2, found["info"]["version"])),
            _message(8, _named(2, found["paths"], _path_item)),
            _message(9, _named(1, found["definitions"], _schema)),
        )
    )


def _path_item(item: Object) -> bytes:
    methods = (("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8))
    made = b"".join(
        _message(number, _operation(item[method])) for method, number in methods if method in item
    )
    return made + b"".join(_message(9, _parameter(one)) for one in item.get("parameters", ()))


def _operation(found: Object) -> bytes:
    return b"".join(
        (
            *(_text(1, tag) for tag in found["tags"]),
            _text(5, found["operationId"]),
            *(_text(6, media) for media in found["produces"]),
            *(_text(7, media) for media in found["consumes"]),
            *(_message(8, _parameter(one)) for one in found["parameters"]),
            _message(9, _named(1, found["responses"], _response)),
            *(_text(10, scheme) for scheme in found["schemes"]),
            _extensions(13, found),
        )
    )


def _parameter(found: Object) -> bytes:
    """A ParametersItem with a Parameter inside: of the body, the query or the path."""
    if found["in"] == "body":
        body = (
            _text(2, found["name"])
            + _text(3, "body")
            + _flag(4, found["required"])
            + _message(5, _schema(found["schema"]))
        )
        return _message(1, _message(1, body))
    in_path = found["in"] == "path"
    made = _flag(1, found.get("required", False)) + _text(2, found["in"]) + _text(4, found["name"])
    made += _text(5 if in_path else 6, found["type"])
    made += _flag(19 if in_path else 20, found.get("uniqueItems", False))
    return _message(1, _message(2, _message(4 if in_path else 3, made)))


def _response(found: Object) -> bytes:
    schema = _message(2, _message(1, _schema(found["schema"]))) if "schema" in found else b""
    return _message(1, _text(1, found["description"]) + schema)


def _schema(found: Object) -> bytes:
    made = [
        _text(1, found.get("$ref", "")),
        _text(2, found.get("format", "")),
        _text(4, found.get("description", "")),
    ]
    made += [_text(19, name) for name in found.get("required", ())]
    made += [_message(20, _any(value)) for value in found.get("enum", ())]
    match found.get("additionalProperties"):
        case bool() as allowed:
            made.append(_message(21, _flag(2, allowed)))
        case dict() as inner:
            made.append(_message(21, _message(1, _schema(inner))))
    if kind := found.get("type"):
        made.append(_message(22, _text(1, kind)))
    if isinstance(items := found.get("items"), dict):
        made.append(_message(23, _message(1, _schema(items))))
    if properties := found.get("properties"):
        made.append(_message(25, _named(1, properties, _schema)))
    made.append(_extensions(31, found))
    return b"".join(made)


def _extensions(number: int, found: Object) -> bytes:
    return b"".join(
        _message(number, _text(1, name) + _message(2, _any(value)))
        for name, value in found.items()
        if name.startswith("x-")
    )


def _any(value: object) -> bytes:
    """As YAML text, of which JSON is a part."""
    return _text(2, msgspec.json.encode(value).decode() + "\n")


def _named(number: int, found: Object, packed: Callable[[Object], bytes]) -> bytes:
    return b"".join(
        _message(number, _text(1, name) + _message(2, packed(value))) for name, value in found.items()
    )


def _text(number: int, text: str) -> bytes:
    return _message(number, text.encode()) if text else b""


def _flag(number: int, value: object) -> bytes:
    return _varint(number << 3) + b"\x01" if value else b""


def _message(number: int, packed: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(packed)) + packed


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)

"""Sprig's functions that encode and decode: base 64 and 32, JSON, YAML. What cannot be read back is its own error, as a text."""

from __future__ import annotations

import base64
import binascii
import re

import msgspec

from argosy.domain.templates import budget, go_json, go_yaml
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import from_json, octets, text_of

_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_NOT_BASE32 = re.compile(rb"[^A-Z2-7]")


def b64enc(text: str) -> str:
    return base64.b64encode(octets(text)).decode()


def b64dec(text: str) -> str:
    data = octets(text).replace(b"\n", b"").replace(b"\r", b"")
    if not _BASE64.fullmatch(data):
        return f"illegal base64 data at input byte {_first_wrong(data, _NOT_BASE64, 4)}"
    return text_of(base64.b64decode(data))


def b32enc(text: str) -> str:
    return base64.b32encode(octets(text)).decode()


def b32dec(text: str) -> str:
    data = octets(text).replace(b"\n", b"").replace(b"\r", b"")
    try:
        return text_of(base64.b32decode(data))
    except binascii.Error:
        return f"illegal base32 data at input byte {_first_wrong(data, _NOT_BASE32, 8)}"


def _first_wrong(data: bytes, wrong: re.Pattern[bytes], group: int) -> int:
    """Where Go stops reading: at the first byte of no digit, or at the start of a group that is not whole."""
    found = wrong.search(data)
    if found is not None and found[0] != b"=":
        return found.start()
    return len(data) // group * group if len(data) % group else found.start() if found else len(data)


def must_from_json(text: str) -> object:
    budget.spend(len(text) >> 4)
    try:
        return from_json(msgspec.json.decode(octets(text)))
    except (msgspec.DecodeError, RecursionError) as error:
        raise FunctionError(f"the JSON cannot be read: {error}") from error


def from_json_(text: str) -> object:
    try:
        return must_from_json(text)
    except FunctionError:
        return None


def to_json(value: object) -> str:
    return _or_nothing(value)


def must_to_json(value: object) -> str:
    return go_json.written(value)


def to_pretty_json(value: object) -> str:
    return _or_nothing(value, indent="  ")


def must_to_pretty_json(value: object) -> str:
    return go_json.written(value, indent="  ")


def to_raw_json(value: object) -> str:
    return go_json.written(value, html=False)


def _or_nothing(value: object, *, indent: str = "") -> str:
    try:
        return go_json.written(value, indent=indent)
    except FunctionError:
        return ""


def to_yaml(value: object) -> str:
    return go_yaml.written(value)


def from_yaml(text: str) -> object:
    found = go_yaml.read(text)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise FunctionError(
            f"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {_named(found)} into Go value of type map[string]interface {{}}"
        )
    return found


def from_yaml_array(text: str) -> object:
    found = go_yaml.read(text)
    if found is None:
        return []
    if not isinstance(found, list):
        raise FunctionError(
            f"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {_named(found)} into Go value of type []interface {{}}"
        )
    return found


def _named(value: object) -> str:
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case bool():
            return "bool"
        case str():
            return "string"
    return "number"


FUNCTIONS: dict[str, Implementation] = {
    "b32dec": b32dec,
    "b32enc": b32enc,
    "b64dec": b64dec,
    "b64enc": b64enc,
    "fromJson": from_json_,
    "fromYaml": from_yaml,
    "fromYamlArray": from_yaml_array,
    "mustFromJson": must_from_json,
    "mustToJson": must_to_json,
    "mustToPrettyJson": must_to_pretty_json,
    "mustToRawJson": to_raw_json,
    "toJson": to_json,
    "toPrettyJson": to_pretty_json,
    "toRawJson": to_raw_json,
    "toYaml": to_yaml,
}

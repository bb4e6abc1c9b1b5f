"""ConfigMaps and Secrets."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.builtin import Revalidated, same
from argosy.kube.server.rules.key_pairs import wrong_pair
from argosy.kube.server.rules.wording import each, forbidden, immutable, invalid, required, too_long

LARGEST: Final = 1024 * 1024
_FIXED: Final = "field is immutable when `immutable` is set"
_ACCOUNT: Final = "kubernetes.io/service-account.name"
_JSON_KEYS: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def _check_fixed(new: Object, old: Object, parts: tuple[str, ...]) -> list[Cause]:
    if not old.get("immutable"):
        return []
    causes = [] if new.get("immutable") else [forbidden("immutable", _FIXED)]
    return causes + [forbidden(part, _FIXED) for part in parts if not same(new.get(part), old.get(part))]


class ConfigMapRules(Revalidated):
    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
        total = 0
        for key, value in data.items():
            if told := formats.config_key(key):
                causes += each(f"data[{key}]", key, told)
            if key in binary:
                causes.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
            total += formats.size(value)
        for key, value in binary.items():
            if told := formats.config_key(key):
                causes += each(f"binaryData[{key}]", key, told)
            total += decoded_size(value)
        if total > LARGEST:
            causes.append(too_long("[]", LARGEST))
        return causes

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return _check_fixed(new, old, ("data", "binaryData"))


class SecretRules(Revalidated):
    def default(self, obj: Object) -> None:
        if not obj.get("type"):
            obj["type"] = "Opaque"
        plain = obj.pop("stringData", None)
        if plain:
            data = obj.get("data")
            if data is None:
                data = obj["data"] = {}
            for key, value in plain.items():
                data[key] = base64.b64encode(value.encode("utf-8", "surrogatepass")).decode()

    def prepare_update(self, new: Object, old: Object) -> None:
        if not new.get("type") and old.get("type"):
            new["type"] = old["type"]
        super().prepare_update(new, old)

    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        data = obj.get("data") or {}
        total = 0
        for key, value in data.items():
            if told := formats.config_key(key):
                causes += each(f"data[{key}]", key, told)
            total += decoded_size(value)
        if total > LARGEST:
            causes.append(too_long("data", LARGEST))
        return causes + _check_type(obj, obj.get("type") or "", data)

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        causes = immutable("type", new.get("type") or "", old.get("type") or "")
        return causes + _check_fixed(new, old, ("data",))

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if obj.get("type") != "kubernetes.io/tls":
            return []
        data = obj.get("data") or {}
        told = wrong_pair(_decoded(data.get("tls.crt")), _decoded(data.get("tls.key")))
        return [f"tls: {told}"] if told else []

    def fields(self, obj: Object) -> dict[str, str]:
        return {"type": obj.get("type") or ""}


def _check_type(obj: Object, kind: str, data: Object) -> list[Cause]:
    """The keys that a secret of a known type must have."""
    match kind:
        case "kubernetes.io/service-account-token":
            named = (metadata.of(obj).get("annotations") or {}).get(_ACCOUNT)
            return [] if named else [required(f"metadata.annotations[{_ACCOUNT}]")]
        case "kubernetes.io/dockercfg" | "kubernetes.io/dockerconfigjson":
            return _check_json(data, _JSON_KEYS[kind])
        case "kubernetes.io/basic-auth":
            if "username" in data or "password" in data:
                return []
            return [required("data[username]"), required("data[password]")]
        case "kubernetes.io/ssh-auth":
            return [] if data.get("ssh-privatekey") else [required("data[ssh-privatekey]")]
        case "kubernetes.io/tls":
            return [required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in data]
    return []


def _check_json(data: Object, key: str) -> list[Cause]:
    if key not in data:
        return [required(f"data[{key}]")]
    told = _wrong_json(_decoded(data[key]))
    return [invalid(f"data[{key}]", "<secret contents redacted>", told)] if told else []


def _wrong_json(text: bytes) -> str:
    if not text.strip():
        return "unexpected end of JSON input"
    try:
        found = json.loads(text)
    except RecursionError:
        return "exceeded max depth"
    except json.JSONDecodeError as error:
        if error.pos >= len(error.doc.rstrip()):
            return "unexpected end of JSON input"
        return f"invalid character {_shown(error.doc[error.pos])} looking for beginning of value"
    except ValueError:
        return "invalid character looking for beginning of value"
    if found is None or isinstance(found, dict):
        return ""
    kinds = {list: "array", str: "string", bool: "bool"}
    kind = kinds.get(type(found), "number")
    return f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"


def _shown(character: str) -> str:
    return {"'": "'\\''", '"': "'\"'"}.get(character, f"'{character}'")


def _decoded(text: object) -> bytes:
    try:
        return base64.b64decode(text if isinstance(text, str) else "", validate=False)
    except (binascii.Error, ValueError):
        return b""


def decoded_size(text: object) -> int:
    """Of base64, without decoding it."""
    if not isinstance(text, str) or not text:
        return 0
    return len(text) * 3 // 4 - text[-2:].count("=")

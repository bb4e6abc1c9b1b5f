"""The server's own inventions, and the labels that stand for them in a transcript.

Uids, names from `generateName`, addresses, ports and tokens become labels that keep which is the same as which;
resourceVersions keep their order too; times that say "now" become `<time>`. What the scenario itself sent stays as it is.
`transcripts` knows where in a document what may stand.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.conformance.kube.scenario import Values

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"\b(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?(Z| [+]0000 UTC)(?: m=[+][\d.]+)?")
_TOKEN = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")
_FIXED = (
    (re.compile(r"\bkube-api-access-[a-z0-9]{5}\b"), "kube-api-access-<generated>"),
    (re.compile(r"\bX509SHA256=[0-9a-f]{64}\b"), "X509SHA256=<fingerprint>"),
)
_ADDRESS = re.compile(r"\b10(\.\d{1,3}){3}\b")
_VERSIONS = tuple(
    re.compile(pattern)
    for pattern in (
        r"resourceVersion\\*\":\\*\"(\d+)",
        r"resourceVersion: \"(\d+)\"",
        r"ResourceVersion in record \((\d+)\)",
        r"ResourceVersion in the precondition \((\d+)\)",
    )
)
# What the server holds at the moment: others write, too.
_BOUNDS = (
    (re.compile(r"(too old resource version: \d+ )\(\d+\)"), r"\1(<oldest rv>)"),
    (re.compile(r"(resource version: \d+, current: )\d+"), r"\1<newest rv>"),
)
_ADDRESSES = ("clusterIP", "clusterIPs", "podIP")
_PORTS = ("nodePort", "healthCheckNodePort")
_SENDS = {"do", "watch", "query", "headers", "body", "text", "meanwhile"}


class Labels:
    def __init__(self, namespace: str, steps: list[Values], let: Values) -> None:
        self._namespace = namespace
        self._sent = set(scalars([[_sent(step) for step in steps], let]))
        prefixes = [str(one["generateName"]) for one in mappings(steps) if one.get("generateName")]
        self._refused = [re.compile(rf"{re.escape(prefix)}[a-z0-9]{{5}}(?!\w)") for prefix in prefixes]
        self._texts: dict[str, str] = {namespace: "NS"}
        self._uids: dict[str, str] = {}
        self._ports: dict[int, str] = {}
        self._versions: list[int] = []
        self._now = datetime.now(UTC)

    def learn(self, document: Any) -> None:
        """Names, addresses, ports and versions, before any text is replaced."""
        for holder in mappings(document):
            if isinstance(metadata := holder.get("metadata"), dict):
                self._learn_metadata(metadata, listed=is_list(holder))
            if self._namespace in str(holder.get("groupVersion")):
                self._texts |= dict.fromkeys(_hashes(holder), "<hash>")
            for one in _texts([holder.get(key) for key in _ADDRESSES]):
                if one not in {"", "None"} and one not in self._sent:
                    self._name(one, "ip")
            for port in (holder.get(key) for key in _PORTS):
                if isinstance(port, int) and port > 0 and port not in self._sent:
                    self._ports.setdefault(port, f"<port {len(self._ports) + 1}>")

    def learned(self) -> None:
        self._versions = sorted(set(self._versions))
        # The longest first: one name may begin with another.
        names = sorted(self._texts, key=len, reverse=True)
        self._replaced = re.compile("|".join(re.escape(one) for one in names))

    def _learn_metadata(self, metadata: Values, *, listed: bool) -> None:
        version, prefix, name = (metadata.get(key) for key in ("resourceVersion", "generateName", "name"))
        if not listed and "uid" in metadata and isinstance(version, str) and version.isdigit():
            self._versions.append(int(version))
        if prefix and isinstance(name, str) and name.startswith(prefix) and name not in self._sent:
            self._name(name, "generated")

    def _name(self, text: str, kind: str) -> None:
        number = sum(label.startswith(f"<{kind}") for label in self._texts.values()) + 1
        self._texts.setdefault(text, f"<{kind} {number}>")

    def was_sent(self, text: str) -> bool:
        return text in self._sent

    def version(self, text: str) -> str:
        number = int(text)
        if number == 0:
            return text
        return f"rv{self._versions.index(number) + 1}" if number in self._versions else "<other rv>"

    def version_of_a_list(self, text: str) -> str:
        """It may be newer than its items': somebody else may have written."""
        return f"rv{sum(one <= int(text) for one in self._versions)} or later"

    def port(self, number: int) -> int | str:
        return self._ports.get(number, number)

    def prose(self, text: str) -> str:
        """A message or a table's cell: numbers stand inside."""
        for pattern, bound in _BOUNDS:
            text = pattern.sub(bound, text)
        for pattern in _VERSIONS:
            text = pattern.sub(self._versions_inside, text)
        text = _ADDRESS.sub(lambda found: found[0] if found[0] in self._sent else "<ip>", text)
        for port, label in self._ports.items():
            text = re.sub(rf"\b{port}\b", label, text)
        return self.text(text)

    def text(self, text: str) -> str:
        text = _TOKEN.sub(_shown_token, text)
        text = self._replaced.sub(lambda found: self._texts[found[0]], text)
        for pattern in self._refused:
            text = pattern.sub("<generated>", text)
        for pattern, label in _FIXED:
            text = pattern.sub(label, text)
        return _TIME.sub(self._time, _UID.sub(self._uid, text))

    def _versions_inside(self, found: re.Match[str]) -> str:
        text = found[0]
        for group in range(len(found.groups()), 0, -1):
            number = found[group]
            if number not in self._sent and int(number) not in self._sent:
                start, end = found.start(group) - found.start(), found.end(group) - found.start()
                text = text[:start] + self.version(number) + text[end:]
        return text

    def _uid(self, found: re.Match[str]) -> str:
        if found[0] in self._sent:
            return found[0]
        return self._uids.setdefault(found[0], f"<uid {len(self._uids) + 1}>")

    def _time(self, found: re.Match[str]) -> str:
        then = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
        if found[0] in self._sent or abs(then - self._now) > timedelta(days=2):
            return found[0]
        return "<micro time>" if found[2] else "<time>"


def _shown_token(found: re.Match[str]) -> str:
    """What it claims is part of the answer; its times are not, but how long it holds is."""
    header, claims = (_decoded(part) for part in found[0].split(".")[:2])
    if not isinstance(header, dict) or not isinstance(claims, dict):
        return found[0]
    lasting = claims.get("exp", 0) - claims.get("iat", 0)
    shown = {key: value for key, value in claims.items() if key not in {"exp", "iat", "nbf"}}
    if isinstance(shown.get("kubernetes.io"), dict):
        shown["kubernetes.io"].pop("warnafter", None)
    told = {**shown, "lasting": lasting, "alg": header.get("alg")}
    return f"<token {json.dumps(told, sort_keys=True)}>"


def _decoded(part: str) -> Any:
    try:
        return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return None


def _hashes(document: Values) -> list[str]:
    return [
        one["storageVersionHash"] for one in document.get("resources", ()) if one.get("storageVersionHash")
    ]


def _sent(step: Values) -> Values:
    return {
        key: [_sent(one) for one in value] if key == "meanwhile" else value
        for key, value in step.items()
        if key in _SENDS
    }


def _texts(values: list[Any]) -> Iterator[str]:
    for value in values:
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


def is_list(document: Any) -> bool:
    kind = document.get("kind") if isinstance(document, dict) else None
    return isinstance(kind, str) and (kind.endswith("List") or kind == "Table") and "metadata" in document


def mappings(value: Any) -> Iterator[Values]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mappings(one)


def scalars(value: Any) -> Iterator[Any]:
    """Keys, too."""
    if isinstance(value, dict):
        yield from value
        yield from scalars(list(value.values()))
    elif isinstance(value, list):
        for one in value:
            yield from scalars(one)
    elif value is not None:
        yield value

"""Requests to an API server as no client would make them: good ones, out of the conformance objects, with something spoilt.

The same seed makes the same requests, so that a failure can be played again.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argosy.kit import yaml
from argosy.kube.wire import Query

_OBJECTS = Path(__file__).parents[1] / "conformance/kube/scenarios/objects.yaml"
NASTY: list[Any] = [
    *(None, True, False, 0, -1, 1.5, 2**31, 2**63, 10**30, -(10**30), 1e308),
    *("", "a", "A B", "../x", "\x00", "é", "x" * 300, "10Gi", "-5", "1e400", "2024-01-01T00:00:00Z", "{{", "0", "None"),
    *("0.0.0.0", "::1", "%s", "$patch", "\ud800", "\u202e", "a" * 70_000),
    *([], {}, [None], [{}], {"": ""}, {"a": None}, [[]], {"name": None}, [1, "a"], 65536, {"$patch": "delete"}, {"$patch": []}),
    *({"$retainKeys": ["a"]}, {"$setElementOrder/containers": [{}]}, {"$deleteFromPrimitiveList/finalizers": [1]}, {"f:a": {}}),
]  # fmt: skip
_EXTRA = (
    "status",
    "spec",
    "extra",
    "name",
    "items",
    "$patch",
    "finalizers",
    "key",
    "metadata",
    "managedFields",
    "resourceVersion",
)
_ASKED = (
    *("limit", "continue", "labelSelector", "fieldSelector", "resourceVersion", "resourceVersionMatch", "watch"),
    *("timeoutSeconds", "dryRun", "fieldManager", "force", "fieldValidation", "pretty", "sendInitialEvents", "container"),
    *("allowWatchBookmarks", "gracePeriodSeconds", "propagationPolicy", "orphanDependents", "timeout", "includeObject"),
    *("tailLines", "sinceTime", "limitBytes", "follow", "path"),
)  # fmt: skip
_VALUES = (
    *("", "0", "1", "-1", "x", "true", "All", "a=b", "a in (b", "metadata.name=x", "spec.nodeName!=", "9" * 21, "Exact"),
    *("NotOlderThan", "Strict", "1s", "\x00", "%", "a,b,!c", "Foreground", "e30", "é", ",=", "()", "a" * 5000, "!" * 999),
    *("a in (" + "b," * 2000 + ")", "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIvLi4ifQ", "\u2028", "2024-01-01T00:00:00Z"),
)  # fmt: skip
_PATCHES = ("merge-patch+json", "strategic-merge-patch+json", "json-patch+json", "apply-patch+yaml")
_MEDIA = (
    "application/json",
    *(f"application/{one}" for one in _PATCHES),
    *("application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", ""),
)
_ACCEPTED = (
    *("application/json", "application/yaml", "x", ";;,", "application/vnd.kubernetes.protobuf"),
    *(
        f"application/json;as={shape};v=v1;g=meta.k8s.io"
        for shape in ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")
    ),
)
_BEHIND = (
    "",
    "",
    "",
    "/status",
    "/scale",
    "/approval",
    "/finalize",
    "/resize",
    "/ephemeralcontainers",
    "/eviction",
)
_BEHIND_READ = (
    "",
    "/status",
    "/scale",
    "/../x",
    "/%",
    "/a/b/c/d",
    "/log",
    "/proxy/x",
    "/exec",
    "//",
    "/token",
)


@dataclass(frozen=True)
class Sample:
    path: str
    object: Any


@dataclass(frozen=True)
class Spoilt:
    method: str
    path: str
    query: Query
    headers: dict[str, str]
    body: bytes


def samples() -> list[Sample]:
    """A good object of every kind, in `default`."""
    text = _OBJECTS.read_text().replace("${ns}", "default").replace("${scenario}", "fuzz")
    found = yaml.load(text.encode(), what="objects.yaml")
    return [Sample(one["path"], one["object"]) for one in found.values()]


class Spoiler:
    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        self._samples = samples()

    def requests(self) -> Iterator[Spoilt]:
        makers = [self._write] * 35 + [self._replace] * 20 + [self._patch] * 30 + [self._read] * 8
        makers += [self._delete] * 3 + [self._raw] * 6
        while True:
            yield self._dice.choice(makers)(self._dice.choice(self._samples))

    def _write(self, sample: Sample) -> Spoilt:
        body = self._mutated(sample.object)
        if isinstance(body, dict) and isinstance(body.get("metadata"), dict) and self._one_in(2):
            body["metadata"]["name"] = f"f{self._dice.randrange(10**9)}"
        return self._spoilt(
            "POST", sample.path, body, self._dice.choice(_MEDIA) if self._one_in(10) else _MEDIA[0]
        )

    def _replace(self, sample: Sample) -> Spoilt:
        path = f"{self._of(sample)}{self._dice.choice(_BEHIND)}"
        return self._spoilt("PUT", path, self._mutated(sample.object), _MEDIA[0])

    def _patch(self, sample: Sample) -> Spoilt:
        media, body = self._dice.choice(_PATCHES), self._mutated(sample.object)
        query: Query = ()
        if media == "json-patch+json":
            body = (
                self._dice.choice(NASTY) if self._one_in(10) else [self._operation(sample) for _ in range(2)]
            )
        elif isinstance(body, dict) and self._one_in(2):
            body = {name: value for name, value in body.items() if self._one_in(2)}
        if media == "apply-patch+yaml" and isinstance(body, dict) and not self._one_in(8):
            body |= {name: sample.object[name] for name in ("apiVersion", "kind")}
            query = (
                ("fieldManager", self._dice.choice("abc")),
                ("force", self._dice.choice(["true", "false"])),
            )
        path = self._of(sample) + self._dice.choice(_BEHIND)
        return self._spoilt("PATCH", path, body, f"application/{media}", query)

    def _read(self, sample: Sample) -> Spoilt:
        path = self._dice.choice([sample.path, self._of(sample) + self._dice.choice(_BEHIND_READ)])
        return self._spoilt("GET", path, None, "")

    def _delete(self, sample: Sample) -> Spoilt:
        nasty = copy.deepcopy(self._dice.choice(NASTY))
        field = self._dice.choice(
            ["gracePeriodSeconds", "preconditions", "propagationPolicy", "dryRun", "kind"]
        )
        return self._spoilt("DELETE", self._of(sample), {field: nasty}, _MEDIA[0], (("dryRun", "All"),))

    def _raw(self, sample: Sample) -> Spoilt:
        text = json.dumps(sample.object).encode()
        at = self._dice.randrange(len(text))
        body = self._dice.choice(
            [
                text[:at],
                text[:at] + self._dice.randbytes(1) + text[at + 1 :],
                self._dice.randbytes(30),
                b"k8s\x00" + self._dice.randbytes(60),
                text[:at] + text[at:] * 2,
                b"\xef\xbb\xbf" + text,
                text.decode().encode("utf-16"),
            ]
        )
        method = self._dice.choice(["POST", "PUT", "PATCH", "DELETE"])
        path = sample.path if method == "POST" else self._of(sample)
        return self._spoilt(method, path, body, self._dice.choice(_MEDIA))

    def _spoilt(self, method: str, path: str, body: Any, media: str, query: Query = ()) -> Spoilt:
        asked = [
            (self._dice.choice(_ASKED), self._dice.choice(_VALUES))
            for _ in range(self._dice.choice([0, 0, 0, 1, 2]))
        ]
        headers = {"content-type": media, "user-agent": "fuzz/1"}
        if self._one_in(4):
            headers["accept"] = self._dice.choice(_ACCEPTED)
        if self._one_in(30):
            headers["impersonate-user"] = self._dice.choice(
                ["", "a", "system:serviceaccount:x", "\x00", "a" * 9000]
            )
        sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return Spoilt(method, path, (*query, *asked), headers, sent)

    def _of(self, sample: Sample) -> str:
        name = self._dice.choice(
            [sample.object["metadata"].get("name", "x")] * 4 + ["new", "..", "%", "a" * 300]
        )
        return f"{sample.path}/{name}"

    def _mutated(self, found: Any) -> Any:
        made = copy.deepcopy(found)
        for _ in range(self._dice.choice([1, 1, 1, 2, 3])):
            *way, last = self._dice.choice(_places(made))
            holder = made
            for step in way:
                holder = holder[step]
            self._spoil(holder, last)
        return made

    def _spoil(self, holder: Any, last: Any) -> None:
        nasty = copy.deepcopy(self._dice.choice(NASTY))
        match self._dice.randrange(10):
            case 0:
                del holder[last]
            case 1 if isinstance(holder, dict):
                holder[self._dice.choice(_EXTRA)] = nasty
            case 2 if isinstance(holder, list):
                holder += [copy.deepcopy(self._dice.choice(holder)), nasty]
            case _:
                holder[last] = nasty

    def _operation(self, sample: Sample) -> Any:
        at = "/".join(["", *map(str, self._dice.choice(_places(sample.object)))])
        operation = self._dice.choice(["add", "remove", "replace", "move", "copy", "test", "x"])
        beginning = self._dice.choice(["/metadata", at, "/metadata/labels", "", "x", "/-1", "/~2"])
        return {"op": operation, "path": at, "from": beginning, "value": self._dice.choice(NASTY)}

    def _one_in(self, number: int) -> bool:
        return self._dice.randrange(number) == 0


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [place for step, one in inner for place in _places(one, (*path, step))]
    return [path, *found] if path else found or [("x",)]

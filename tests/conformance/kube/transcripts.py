"""Turns what a server answered into what two servers must agree on: everything but its own inventions (`labels`), what
depends on the second in which it ran, and orders that are nobody's promise."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from tests.conformance.kube.labels import Labels, is_list
from tests.conformance.kube.paths import MISSING, at
from tests.conformance.kube.replay import Answer, Played
from tests.conformance.kube.scenario import Values

_HEADERS = {"content-type", "warning", "retry-after", "www-authenticate", "location", "allow"}
_BUILD = {"buildDate", "gitCommit", "gitTreeState", "goVersion", "platform", "compiler"}
_AGE = re.compile(r"^\d+(ms|[smhdy])(\d+[smhd])?$")


def normalised(played: Played) -> list[Values]:
    """One entry per step. Two servers that behave the same give equal lists."""
    entries = [_entry(name, answer) for name, answer in played.answers]
    scenario = played.scenario
    labels = Labels(played.known["ns"], [*scenario.setup, *scenario.steps], scenario.let)
    for answer in played.setup:
        if not is_list(document := answer.document()):
            labels.learn(document)
    for entry in entries:
        labels.learn(entry.get("body"))
        labels.learn([event.get("object") for event in entry.get("events", ())])
    labels.learned()
    return [
        _only(_Rewriter(labels).entry(entry), answer, played.known["ns"])
        for entry, (_, answer) in zip(entries, played.answers, strict=True)
    ]


def _entry(name: str, answer: Answer) -> Values:
    headers: dict[str, Any] = {}
    for key, value in answer.headers:
        if key.lower() == "warning":
            headers.setdefault("warning", []).append(value)
        elif key.lower() in _HEADERS:
            headers[key.lower()] = value
    if headers.get("content-type") == "application/json":
        del headers["content-type"]
    entry: Values = {"step": name, "status": answer.status}
    if headers:
        entry["headers"] = headers
    if answer.events is not None:
        entry["events"] = [_event(line) for line in answer.events]
    elif answer.body:
        document = answer.document()
        entry["body"] = answer.body.decode(errors="replace") if document is None else document
    return entry


def _event(line: bytes) -> Values:
    try:
        event = json.loads(line)
    except ValueError:
        event = None
    return event if isinstance(event, dict) else {"no event": line.decode(errors="replace")}


def _only(entry: Values, answer: Answer, namespace: str) -> Values:
    """Chosen at the end: what the rest says is needed to know what is which."""
    if not answer.only or "body" not in entry:
        return entry
    paths = [path.replace(namespace, "NS") for path in answer.only]
    found = {path: at(entry["body"], path) for path in paths}
    body = {path: "nothing" if value is MISSING else value for path, value in found.items()}
    return {**entry, "body": body}


class _Rewriter:
    """Walks through an answer. `path` are the keys above a value; lists are `*`."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels

    def entry(self, entry: Values) -> Values:
        return {
            key: value if key in {"status", "step"} else self._value(value, (key,))
            for key, value in entry.items()
        }

    def _value(self, value: Any, path: tuple[str, ...]) -> Any:
        if isinstance(value, str):
            return self._text(value, path)
        if isinstance(value, list):
            return [self._value(one, (*path, "*")) for one in value]
        if isinstance(value, dict):
            listed = is_list(value)
            return dict(
                self._pair(key, one, path, value, listed=listed)
                for key, one in _with_causes_in_order(value).items()
            )
        if isinstance(value, int) and path[-1] in {"nodePort", "healthCheckNodePort"}:
            return self._labels.port(value)
        return value

    def _pair(
        self, key: str, value: Any, path: tuple[str, ...], holder: Values, *, listed: bool
    ) -> tuple[str, Any]:
        inside = (*path, key)
        match key:
            case "metadata" if isinstance(value, dict) and (listed or "uid" not in value):
                return key, self._metadata_of_a_list(value, inside)
            case "managedFields" if isinstance(value, list):
                return key, sorted((self._value(one, inside) for one in value), key=_manager)
            case "columnDefinitions" if isinstance(value, list):
                return key, [self._column(column) for column in value]
            case "resourceRules" | "nonResourceRules":
                return key, sorted(self._value(value, inside), key=str)
            case "cells":
                return key, ["<age>" if _is_age(cell) else self._value(cell, inside) for cell in value]
            case "serverAddress":
                return key, "<address>"
            case _ if key in _BUILD and "gitVersion" in holder:
                return key, f"<{key}>"
            case _:
                return self._labels.text(key), self._value(value, inside)

    def _metadata_of_a_list(self, metadata: Values, path: tuple[str, ...]) -> Values:
        result = {key: self._value(one, (*path, key)) for key, one in metadata.items()}
        version = metadata.get("resourceVersion")
        if isinstance(version, str) and version.isdigit():
            result["resourceVersion"] = self._labels.version_of_a_list(version)
        if metadata.get("continue"):
            result["continue"] = "<continue>"
        return result

    def _column(self, column: Values) -> Values:
        """Built-in columns are described in upstream's words, which are not ours to keep."""
        told = column.get("description", "")
        return {
            key: value
            for key, value in column.items()
            if key != "description" or not told or self._labels.was_sent(told)
        }

    def _text(self, text: str, path: tuple[str, ...]) -> str:
        if path[-1] == "resourceVersion" and text.isdigit():
            return self._labels.version(text)
        if path[-1] in {"message", "body"} or "cells" in path:
            return self._labels.prose(text)
        return self._labels.text(text)


def _manager(entry: Values) -> tuple[str, ...]:
    """By who and how: their own order depends on which second it was."""
    return tuple(str(entry.get(key, "")) for key in ("operation", "manager", "subresource", "apiVersion"))


def _is_age(cell: Any) -> bool:
    return isinstance(cell, str) and bool(_AGE.match(cell))


def _with_causes_in_order(status: Values) -> Values:
    """Several causes at one field come in any order when upstream walks a map there, and so do conflicts with several
    managers and all that a custom resource's schema finds; others come in a fixed one."""
    details = status.get("details")
    if status.get("kind") != "Status" or not isinstance(details, dict) or not details.get("causes"):
        return status
    causes, told = details["causes"], [_told(cause) for cause in details["causes"]]
    groups = itertools.groupby(causes, key=_place)
    ordered = (
        sorted(causes, key=_told)
        if _unordered(details)
        else [cause for _, group in groups for cause in sorted(group, key=_told)]
    )
    message = str(status.get("message")).replace(", ".join(told), ", ".join(map(_told, ordered)))
    return {**status, "message": message, "details": {**details, "causes": ordered}}


def _unordered(details: Values) -> bool:
    custom = str(details.get("group")).endswith(".example.com")
    return custom or details["causes"][0].get("reason") == "FieldManagerConflict"


def _place(cause: Values) -> str:
    """`spec.hard[pods]` is in the map `spec.hard`."""
    return re.sub(r"\[[^\]\d][^\]]*\]$", "", str(cause.get("field", "")))


def _told(cause: Values) -> str:
    told = str(cause.get("message", ""))
    return f"{cause['field']}: {told}" if cause.get("field") else told

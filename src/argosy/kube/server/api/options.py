"""The query of a request, read and checked once: what may be asked of a read, a write, a delete."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from argosy.kube.errors import ApiError, Cause, bad_request, invalid
from argosy.kube.server.rules.selectors import (
    FieldSelector,
    LabelSelector,
    SelectorError,
    field_selector,
    label_selector,
)
from argosy.kube.wire import Request

_DURATION = re.compile(r"[-+]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_MOST_MANAGER = 128
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Listing:
    labels: LabelSelector
    fields: FieldSelector
    revision: int | None
    """None: the query did not say."""
    match: str
    limit: int
    continues: str
    seconds: int
    bookmarks: bool
    initial_events: bool | None


@dataclass(frozen=True, slots=True)
class Writing:
    dry_run: bool
    manager: str
    validation: str
    """`Strict`, `Warn` or `Ignore`."""
    force: bool | None


def listing(request: Request, *, watches: bool = False) -> Listing:
    limit, seconds = integer(request, "limit"), integer(request, "timeoutSeconds")
    try:
        labels = label_selector(request.parameter("labelSelector"))
        fields = field_selector(request.parameter("fieldSelector"))
    except SelectorError as error:
        raise bad_request(str(error)) from error
    return Listing(
        labels=labels,
        fields=fields,
        revision=revision(request, "" if watches else "invalid resource version: "),
        match=request.parameter("resourceVersionMatch"),
        limit=limit,
        continues=request.parameter("continue"),
        seconds=seconds,
        bookmarks=boolean(request, "allowWatchBookmarks") or False,
        initial_events=boolean(request, "sendInitialEvents"),
    )


def one_name(request: Request, verb: str) -> str:
    """Of the one object that a list or watch is about: rights may be given to a name."""
    if verb not in {"list", "watch"} or not (text := request.parameter("fieldSelector")):
        return ""
    try:
        name = field_selector(text).exact("metadata.name") or ""
    except SelectorError:
        return ""
    return "" if name in {".", ".."} or "/" in name or "%" in name else name


def revision(request: Request, where: str = "") -> int | None:
    """`where`: what a complaint begins with."""
    return _revision(request.parameter("resourceVersion"), where)


def check_list(asked: Listing) -> None:
    """The combinations that mean nothing, in upstream's order and words."""
    causes: list[Cause] = []
    if asked.match:
        if asked.revision is None:
            causes.append(_match_forbidden("unless resourceVersion is provided"))
        if asked.continues:
            causes.append(_match_forbidden("when continue is provided"))
        if asked.match not in {"Exact", "NotOlderThan"}:
            causes.append(_not_supported("resourceVersionMatch", asked.match, ("Exact", "NotOlderThan", "")))
        if asked.match == "Exact" and asked.revision == 0:
            why = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'
            causes.append(_forbidden("resourceVersionMatch", why))
    if asked.initial_events is not None:
        causes.append(_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    _refuse("ListOptions", causes)


def check_watch(asked: Listing) -> None:
    causes: list[Cause] = []
    if asked.initial_events is not None and asked.match != "NotOlderThan":
        why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
        causes.append(_forbidden("resourceVersionMatch", why))
    if asked.match:
        if asked.initial_events is None:
            causes.append(_match_forbidden("for watch unless sendInitialEvents is provided"))
        if asked.match != "NotOlderThan":
            causes.append(_not_supported("resourceVersionMatch", asked.match, ("NotOlderThan",)))
        if asked.continues:
            causes.append(_match_forbidden("when continue is provided"))
    _refuse("ListOptions", causes)


def writing(request: Request, kind: str, *, applying: bool = False) -> Writing:
    """`kind` of options, for errors: `CreateOptions`, `UpdateOptions`, `PatchOptions`."""
    causes: list[Cause] = []
    manager, force = request.parameter("fieldManager"), boolean(request, "force")
    if applying and not manager:
        causes.append(
            Cause("FieldValueRequired", "Required value: is required for apply patch", "fieldManager")
        )
    if not applying and force is not None:
        causes.append(_forbidden("force", "may not be specified for non-apply patch"))
    causes += _about_manager(manager)
    dry_run = _dry_run([value for name, value in request.query if name == "dryRun"], causes)
    validation = request.parameter("fieldValidation")
    if validation not in {"", "Strict", "Warn", "Ignore"}:
        causes.append(_not_supported("fieldValidation", validation, ("", "Ignore", "Strict", "Warn")))
    _refuse(kind, causes)
    return Writing(dry_run, manager or agent(request), validation or "Warn", force)


def _dry_run(values: list[str], causes: list[Cause]) -> bool:
    if any(value != "All" for value in values):
        causes.append(_not_supported("dryRun", values, ("All",)))
    return bool(values)


def _about_manager(manager: str) -> list[Cause]:
    if len(manager.encode()) > _MOST_MANAGER:
        return [
            Cause(
                "FieldValueTooLong", f"Too long: may not be more than {_MOST_MANAGER} bytes", "fieldManager"
            )
        ]
    return [
        Cause(
            "FieldValueInvalid",
            f"Invalid value: {json.dumps(manager, ensure_ascii=False)}: invalid character U+{ord(one):04X} (at position {at})",
            "fieldManager",
        )
        for at, one in enumerate(manager)
        if not one.isprintable()
    ]


def _match_forbidden(why: str) -> Cause:
    return _forbidden("resourceVersionMatch", f"resourceVersionMatch is forbidden {why}")


def _refuse(kind: str, causes: list[Cause]) -> None:
    if causes:
        raise invalid(kind, "", causes, group="meta.k8s.io")


def agent(request: Request) -> str:
    """Who writes when nobody said: the program's name, out of its User-Agent."""
    return re.split(r"/", request.headers.get("user-agent", ""), maxsplit=1)[0][:_MOST_MANAGER] or "unknown"


def integer(request: Request, name: str) -> int:
    text = request.parameter(name)
    if not text:
        return 0
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    if len(text) > _MOST_DIGITS:
        raise bad_request(f'strconv.ParseInt: parsing "{text[:100]}": value out of range')
    return int(text)


def optional(request: Request, name: str) -> int | None:
    return integer(request, name) if request.parameter(name) else None


def boolean(request: Request, name: str) -> bool | None:
    """As Go's conversion of queries: absent is nothing, anything that is not false is true."""
    found = [value for key, value in request.query if key == name]
    return None if not found else found[0].lower() not in {"0", "false"}


def _revision(text: str, where: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,19}", text):
        raise bad_version(text, f'{where}resourceVersion: Invalid value: "{text}": ')
    return int(text)


def check_timeout(request: Request) -> None:
    """Of the whole request; streams do not look at it."""
    text = request.parameter("timeout")
    if text and not _DURATION.fullmatch(text):
        unit = re.fullmatch(r"[-+]?[0-9]+", text)
        why = f'missing unit in duration "{text[:100]}"' if unit else f'invalid duration "{text[:100]}"'
        raise bad_request(f"invalid timeout specified in the request URL - time: {why}")


def bad_version(text: str, where: str = "") -> ApiError:
    """400, for it is the client's fault; upstream answers 500 here and there."""
    why = "value out of range" if text.isdecimal() else "invalid syntax"
    return bad_request(f'{where}strconv.ParseUint: parsing "{text}": {why}')


def _forbidden(field: str, why: str) -> Cause:
    return Cause("FieldValueForbidden", f"Forbidden: {why}", field)


def _not_supported(field: str, value: str | list[str], allowed: tuple[str, ...]) -> Cause:
    shown = f'"{value}"' if isinstance(value, str) else "[" + ",".join(f'"{one}"' for one in value) + "]"
    return Cause(
        "FieldValueNotSupported",
        f"Unsupported value: {shown}: supported values: " + ", ".join(f'"{one}"' for one in allowed),
        field,
    )

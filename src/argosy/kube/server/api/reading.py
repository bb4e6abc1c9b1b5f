"""GET: one object, or a list in pages that all show the same moment."""

from __future__ import annotations

import base64
import posixpath
from collections.abc import Iterator

import msgspec

from argosy.kube.errors import ApiError, Cause, bad_request, expired, timeout
from argosy.kube.objects import Key
from argosy.kube.server.api import answers, options
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.matching import Matcher
from argosy.kube.server.api.negotiation import several, single
from argosy.kube.server.api.pacing import paced
from argosy.kube.server.api.versions import bytes_in_version
from argosy.kube.server.decoding import go_json
from argosy.kube.server.store import Stored
from argosy.kube.wire import Response


class _Token(msgspec.Struct, frozen=True):
    """Where a list goes on. Opaque to clients; the form is upstream's, because some look inside."""

    v: str = ""
    rv: int = 0
    start: str = ""


async def get(call: Call) -> Response:
    wanted = call.form()
    if any(name == "export" and value not in {"", "0", "false"} for name, value in call.request.query):
        raise bad_request("the export parameter, deprecated since v1.14, is no longer supported")
    single(wanted, call.served.resource.kind)
    _check_reached(call, options.revision(call.request))
    return answers.raw(call, bytes_in_version(call, call.committed()), wanted)


async def list_(call: Call) -> Response:
    wanted = call.form()
    several(wanted, call.served.resource.kind)
    matcher = Matcher(call)
    asked = options.listing(call.request)
    options.check_list(asked)
    matcher.take(asked)
    at, after = _moment(call, asked)
    store = call.cluster.store
    revision = at or store.revision
    namespace = call.address.namespace
    found: list[Stored] = []
    more = False
    async for stored in paced(store.list(call.served.collection, namespace, at=at, after=after)):
        if matcher.matches(stored.body):
            if asked.limit and len(found) == asked.limit:
                more = True
                break
            found.append(stored)
    metadata = answers.list_metadata(call, revision)
    if more:
        metadata["continue"] = _token(revision, found[-1].key)
        if matcher.everything:
            last = found[-1].key
            metadata["remainingItemCount"] = sum(
                1 for _ in store.list(call.served.collection, namespace, at=at, after=last)
            )
    return await answers.many(call, _bodies(call, found), metadata, wanted)


def _bodies(call: Call, found: list[Stored]) -> Iterator[bytes]:
    return (bytes_in_version(call, stored) for stored in found)


def _moment(call: Call, asked: options.Listing) -> tuple[int, Key | None]:
    """The revision to show (0: now) and the object to go on after."""
    if asked.continues:
        token = _read_token(asked.continues)
        if asked.revision:
            raise bad_request("specifying resource version is not allowed when using continue")
        if token.rv < call.cluster.store.oldest and token.rv != -1:
            raise _expired_token(call, token)
        namespace, _, name = token.start.rpartition("/")
        return max(token.rv, 0), Key(call.served.collection, namespace, name)
    exact = asked.match == "Exact" or (not asked.match and asked.limit and asked.revision)
    _check_reached(call, asked.revision)
    if exact and asked.revision:
        if asked.revision < call.cluster.store.oldest:
            raise expired(
                f"The resourceVersion for the provided list is too old: {asked.revision} ({call.cluster.store.oldest})"
            )
        return asked.revision, None
    return 0, None


def _check_reached(call: Call, revision: int | None) -> None:
    """A client that knows a newer state than there is saw another cluster, or this one before a restore."""
    store = call.cluster.store
    if revision and revision > store.revision:
        error = timeout(
            f"Timeout: Too large resource version: {revision}, current: {store.revision}", retry_after=1
        )
        error.causes = (Cause("ResourceVersionTooLarge", "Too large resource version", ""),)
        raise error


def _token(revision: int, last: Key) -> str:
    token = _Token("meta.k8s.io/v1", revision, f"{last.namespace}/{last.name}")
    return base64.urlsafe_b64encode(msgspec.json.encode(token)).decode().rstrip("=")


def _read_token(text: str) -> _Token:
    try:
        data = base64.urlsafe_b64decode(text.rstrip("=") + "=" * (-len(text) % 4))
    except ValueError as error:
        raise _bad_token(str(error)) from error
    try:
        token = msgspec.json.decode(data, type=_Token)
    except (msgspec.MsgspecError, ValueError) as error:
        raise _bad_token(go_json.complaint(data) or str(error)) from error
    if token.v != "meta.k8s.io/v1":
        raise _bad_token(f"server does not recognize this encoded version {token.v[:40]}")
    if not token.rv:
        raise _bad_token("incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
    if not token.start:
        raise _bad_token("encoded start key empty (version meta.k8s.io/v1)")
    key = token.start if token.start.startswith("/") else f"/{token.start}"
    if posixpath.normpath(key) != key or key.startswith("//"):
        raise _bad_token(token.start)
    return token


def _bad_token(why: str) -> ApiError:
    return bad_request(f"invalid continue token: continue key is not valid: {why}")


def _expired_token(call: Call, token: _Token) -> ApiError:
    """With a token that goes on at the newest state instead, for clients that prefer that to starting again."""
    error = expired(
        "The provided continue parameter is too old to display a consistent list result. You can start a new list "
        "without the continue parameter, or use the continue token in this response to retrieve the remainder of the "
        "results. Continuing with the provided token results in an inconsistent list - objects that were created, "
        "modified, or deleted between the time the first chunk was returned and now may show up in the list."
    )
    namespace, _, name = token.start.rpartition("/")
    error.continues = _token(-1, Key(call.served.collection, namespace, name))
    return error

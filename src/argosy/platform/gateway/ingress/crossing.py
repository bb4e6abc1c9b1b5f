"""What of a request's head reaches a pod, and what of the answer's head reaches a browser. Pure.

A pod is somebody else's program. Under our own name (`prefix` is set) it must not learn who asks, and its answer must not act as one
of ours: of its headers only known harmless ones pass, and whatever is not JSON is shown in a sandbox. Under a host of its own it
may keep its cookies and its policies, but never sees a credential of ours and never sets a cookie beyond its own host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import urljoin, urlsplit

from argosy.kit.errors import Unavailable

Headers = list[tuple[str, str]]
OUR_COOKIES = re.compile(r"(__Host-|__Secure-)?argosy-", re.ASCII)
_OUR_KEY = "argk_"
_OF_THE_CONNECTION = frozenset(
    {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "http2-settings"}
)
_NEVER_IN = frozenset(
    {"forwarded", "x-real-ip", "proxy-authorization", "proxy-connection", "expect", "x-request-id"}
)
_NEVER_IN_BY_PATH = frozenset({"cookie", "authorization", "referer"})
_NEVER_OUT = frozenset({"clear-site-data", "x-request-id", "server", "date", "strict-transport-security"})
_OUT_BY_PATH = frozenset(
    {
        "accept-ranges", "allow", "content-disposition", "content-encoding", "content-language", "content-length",
        "content-range", "etag", "last-modified", "retry-after", "vary",
    }
)  # fmt: skip
_JSON = re.compile(r"application/([a-z0-9.+-]+\+)?json|application/x-ndjson")
_SHOWN = frozenset(
    {
        "text/plain", "text/html", "text/css", "text/csv", "text/markdown", "text/event-stream", "image/png",
        "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml", "image/x-icon",
        "application/yaml", "application/octet-stream",
    }
)  # fmt: skip
SANDBOX = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


def towards_pod(headers: Iterable[tuple[str, str]], told: Mapping[str, str], *, by_path: bool) -> Headers:
    """`told`: what we say of the request ourselves (`x-forwarded-…`)."""
    pairs = [(name.lower(), value) for name, value in headers]
    dropped = _OF_THE_CONNECTION | _NEVER_IN | _named_by_connection(pairs)
    dropped |= _NEVER_IN_BY_PATH if by_path else frozenset()
    kept: Headers = []
    for name, value in pairs:
        if name in dropped or name.startswith(("x-forwarded-", "x-argosy-")):
            continue
        if name == "cookie" and not (value := without_our_cookies(value)):
            continue
        if name == "authorization" and _OUR_KEY in value:
            continue
        kept.append((name, value))
    return [*kept, *told.items()]


def towards_browser(headers: Iterable[tuple[str, str]]) -> Headers:
    """Under a host of its own."""
    pairs = [(name.lower(), value) for name, value in headers]
    dropped = _OF_THE_CONNECTION | _NEVER_OUT | _named_by_connection(pairs)
    kept: Headers = []
    for name, value in pairs:
        if name in dropped or name.startswith("x-argosy-"):
            continue
        if name == "set-cookie" and not (value := own_cookie(value)):
            continue
        kept.append((name, value))
    return kept


def towards_browser_by_path(
    headers: Iterable[tuple[str, str]], *, prefix: str, host: str, path: str
) -> Headers:
    """`path` is what the pod was asked for, behind the prefix."""
    pairs = [(name.lower(), value) for name, value in headers]
    kept = [(name, value) for name, value in pairs if name in _OUT_BY_PATH]
    found = dict(pairs)
    if (location := found.get("location")) is not None:
        kept.append(("location", moved(location, prefix, host, path)))
    kind = found.get("content-type", "").strip()
    media = kind.partition(";")[0].strip().lower()
    if _JSON.fullmatch(media):
        kept.append(("content-type", kind))
    elif media in _SHOWN:
        kept += [("content-type", kind), ("content-security-policy", SANDBOX)]
    else:  # a script, or what a browser would make one of: to be kept in a file, never to be run
        kept = [pair for pair in kept if pair[0] != "content-disposition"]
        kept += [("content-type", "application/octet-stream"), ("content-disposition", "attachment")]
        kept.append(("content-security-policy", SANDBOX))
    return [
        *kept,
        ("cache-control", "private, no-cache"),  # it was for who is signed in, whatever the pod says
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ]


def without_our_cookies(header: str) -> str:
    pairs = [one.strip() for one in header.split(";")]
    return "; ".join(one for one in pairs if one and OUR_COOKIES.match(one) is None)


def own_cookie(header: str) -> str:
    """For exactly the host that set it: a cookie for a parent domain would reach the platform, too."""
    pair, *attributes = header.split(";")
    if OUR_COOKIES.match(pair.strip()):
        return ""
    kept = [one for one in attributes if one.partition("=")[0].strip().lower() != "domain"]
    return ";".join([pair, *kept])


def moved(location: str, prefix: str, host: str, path: str) -> str:
    """Redirects stay inside the Ingress: elsewhere, our name would vouch for where they lead. `path` is what the pod was asked for;
    what it means by a location is worked out as it sees it, so that no `..` leads out."""
    if location != location.strip() or any(
        one in location.lower() for one in ("\\", "\t", "\r", "\n", "\x00", "%2e")
    ):
        raise _elsewhere(location)
    said = urlsplit(location)
    if (
        said.netloc not in ("", host)
        or (said.scheme and not said.netloc)
        or said.scheme not in ("", "http", "https")
    ):
        raise _elsewhere(location)
    meant = urlsplit(urljoin(f"http://{host}{path}", location))
    query, fragment = (
        (f"?{meant.query}" if meant.query else ""),
        (f"#{meant.fragment}" if meant.fragment else ""),
    )
    return f"{prefix}/{meant.path.lstrip('/')}{query}{fragment}"


def _elsewhere(location: str) -> Unavailable:
    return Unavailable(
        "the pod redirects to another site, which is not done under the platform's own name",
        code="ingress.redirect",
        cure="give the Ingress a host",
        detail=location[:200],
    )


def _named_by_connection(pairs: Headers) -> frozenset[str]:
    return frozenset(
        one.strip().lower() for name, value in pairs if name == "connection" for one in value.split(",")
    )

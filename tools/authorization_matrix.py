"""Writes docs/reference/authorization.md from the hand-made table in tests/security/matrix.py.

`make docs` refreshes pages; a test in tests/security fails when this one is old.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tests.security.matrix import GIT, INGRESSES, OPERATIONS, PASSAGE, PROBES, ROUTES, Row
from tools.steps import ROOT

PAGE = ROOT / "docs" / "reference" / "authorization.md"
_LEAST = {
    "anyone": "anyone",
    "signed in": "anyone signed in",
    "session": "anyone signed in, with a session",
    "admin": "an admin of the account",
    "platform admin": "an administrator of the installation",
    "metrics token": "the holder of the metrics token",
}
_OPENING = """\
# Who may do what

Generated from `tests/security/matrix.py` by `python -m tools.authorization_matrix`; do not edit it here. The security
tests ask the running platform every row as everybody, so this page is what the platform does.

Whatever is not listed is refused. A key without a list of scopes may do what its owner may; a key with scopes needs the
scope of the row, and `users` covers `users:read` and `users:write`. What belongs to another account answers like what
does not exist: 404. A user who was given a one-time password can, until it is changed, only use the rows marked ◆.
Which single resources somebody sees is decided by access rules on top of this.
"""


def page() -> str:
    return "\n".join([_OPENING, *_routes(), *_git(), *_probes(), *_ingresses(), *_operations()])


def _routes() -> Iterator[str]:
    yield "## REST\n"
    yield "| Route | Who, at least | Scope | Operation |"
    yield "|---|---|---|---|"
    for (method, path), what in ROUTES.items():
        row = OPERATIONS[what] if isinstance(what, str) else what
        operation = f"`{what}`" if isinstance(what, str) else "the gateway itself"
        yield f"| `{method} {path}` | {_who(row)} | {_scope(row)} | {operation} |"
    yield ""


def _git() -> Iterator[str]:
    yield "## Git\n"
    yield "What git asks for below `/git/<account>/<name>.git`, with an API key as the password.\n"
    yield "| Request | Who, at least | Scope |"
    yield "|---|---|---|"
    for (method, path), row in GIT.items():
        yield f"| `{method} {path}` | {_who(row)} | {_scope(row)} |"
    yield ""


def _probes() -> Iterator[str]:
    yield "## Probes\n"
    yield "On the public port, and on the internal sockets as `/svc/<service>/healthz` and so on.\n"
    yield "| Path | Who |"
    yield "|---|---|"
    for path, row in PROBES.items():
        yield f"| `{path}` | {_LEAST[row.least]} |"
    yield ""


def _ingresses() -> Iterator[str]:
    yield "## Ingresses of embedded clusters\n"
    yield "On the public port. No key can be limited to `ingress:use`: a session opens it, or a key without a list of scopes.\n"
    yield "| Path | Who, at least | Scope |"
    yield "|---|---|---|"
    for path, row in INGRESSES.items():
        yield f"| `{path}` | {_who(row)} | {_scope(row)} |"
    yield ""
    yield "On the socket between the gateway and the clusters, with the token that lies in the secrets.\n"
    yield "| Path | Who |"
    yield "|---|---|"
    for path, row in PASSAGE.items():
        yield f"| `{path}` | {_who(row)} |"
    yield ""


def _operations() -> Iterator[str]:
    yield "## Operations between the parts\n"
    yield "Reached over the internal sockets, each with a token that names the caller and this one service.\n"
    yield "| Operation | Who, at least | Scope |"
    yield "|---|---|---|"
    for name, row in OPERATIONS.items():
        yield f"| `{name}` | {_who(row)} | {_scope(row)} |"
    yield ""


def _who(row: Row) -> str:
    if row.least == "service":
        return "any part of the platform" if "*" in row.callers else f"the part {', '.join(row.callers)}"
    return _LEAST[row.least] + (" ◆" if row.first_password and row.least != "anyone" else "")


def _scope(row: Row) -> str:
    return f"`{row.scope}`" if row.scope else ""


def main() -> int:
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(page())
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

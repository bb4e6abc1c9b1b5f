"""The functions that Argo CD gives to templates: Sprig's but for those that look at the machine, and a few of its own.

Each module holds one table of them. Their annotations are Go's types: `calling` reads them.
"""

from __future__ import annotations

from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.sprig import (
    dates,
    defaults,
    dicts,
    encoding,
    hashes,
    lists,
    names,
    numbers,
    paths,
    patterns,
    strings,
    versions,
)

UNSUPPORTED = frozenset(
    [
        "bcrypt",
        "buildCustomCert",
        "decryptAES",
        "derivePassword",
        "encryptAES",
        "genCA",
        "genCAWithKey",
        "genPrivateKey",
        "genSelfSignedCert",
        "genSelfSignedCertWithKey",
        "genSignedCert",
        "genSignedCertWithKey",
        "htpasswd",
    ]
)
"""Passwords, keys and certificates: made anew at each look, they would change the applications again and again."""


def _refused(name: str) -> Implementation:
    def refuse(*_args: object) -> object:
        raise FunctionError(f"{name} is not supported: keep secrets in a Secret, not in an application")

    return refuse


FUNCTIONS: dict[str, Implementation] = {
    **{name: _refused(name) for name in UNSUPPORTED},
    **dates.FUNCTIONS,
    **defaults.FUNCTIONS,
    **dicts.FUNCTIONS,
    **encoding.FUNCTIONS,
    **hashes.FUNCTIONS,
    **lists.FUNCTIONS,
    **names.FUNCTIONS,
    **numbers.FUNCTIONS,
    **paths.FUNCTIONS,
    **patterns.FUNCTIONS,
    **strings.FUNCTIONS,
    **versions.FUNCTIONS,
}

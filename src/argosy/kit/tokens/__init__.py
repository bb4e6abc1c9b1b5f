"""The proof that travels with each call between parts: short ES256 tokens, and the assertions that ask for them.

`platform/identity` is the only issuer of tokens (`sign_token`); every port checks them with a `TokenVerifier`. A part
gets its tokens from identity by an assertion signed with its own `ServiceKey`, which identity checks with an
`AssertionVerifier`. The story: `compact` (what both forms share), `claims`, `keys`, `verifier`, `service_keys`.
"""

from argosy.kit.tokens.claims import ISSUER, MOST_SECONDS, Claims, claims_for, sign_token
from argosy.kit.tokens.compact import Signer
from argosy.kit.tokens.keys import FetchedKeys, FixedKeys, Keys
from argosy.kit.tokens.service_keys import AssertionVerifier, ServiceKey, is_assertion
from argosy.kit.tokens.verifier import TokenVerifier

__all__ = [
    "ISSUER",
    "MOST_SECONDS",
    "AssertionVerifier",
    "Claims",
    "FetchedKeys",
    "FixedKeys",
    "Keys",
    "ServiceKey",
    "Signer",
    "TokenVerifier",
    "claims_for",
    "is_assertion",
    "sign_token",
]

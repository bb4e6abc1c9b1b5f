"""Whether a certificate and a private key belong together, as a TLS server would find out later. A Secret that holds others is stored
all the same, with a warning (`configuration`).
"""

from __future__ import annotations

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization


def wrong_pair(certificate: bytes, key: bytes) -> str:
    """Nothing: they do."""
    for what, pem in (("certificate", certificate), ("key", key)):
        if b"-----BEGIN " not in pem:
            return f"failed to find any PEM data in {what} input"
    try:
        shown = x509.load_pem_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm):
        return "failed to parse certificate"
    try:
        private = serialization.load_pem_private_key(key, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "failed to parse private key"
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    if shown.public_bytes(*form) != private.public_key().public_bytes(*form):
        return "private key does not match public key"
    return ""

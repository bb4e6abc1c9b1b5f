"""Projected volumes: several sources in one folder, whose paths must not meet."""

from __future__ import annotations

from collections.abc import Callable

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.paths import check_not_reserved
from argosy.kube.server.rules.signers import check_signer_name, is_kubernetes
from argosy.kube.server.rules.wording import each, forbidden, invalid, not_supported, required

_KEYS = ("RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519")
_CheckItem = Callable[[Object, str], list[Cause]]


def check_projected(volume: Object, path: str, check_item: _CheckItem, check_file: _CheckItem) -> list[Cause]:
    causes: list[Cause] = []
    paths: set[str] = set()
    for index, source in enumerate(volume.get("sources") or ()):
        here = f"{path}.sources[{index}]"
        for kind in ("secret", "configMap"):
            if (found := source.get(kind)) is not None:
                causes += _items(found, path, f"{here}.{kind}", paths, check_item)
        if (found := source.get("downwardAPI")) is not None:
            for file in found.get("items") or ():
                causes += check_file(file, f"{here}.downwardAPI")
                causes += _once(file.get("path") or "", paths, path)
        if (found := source.get("serviceAccountToken")) is not None:
            causes += _token(found, path, f"{here}.serviceAccountToken")
        if (found := source.get("podCertificate")) is not None:
            causes += _certificate(found, path, f"{here}.podCertificate", paths)
        if sum(value is not None for value in source.values()) > 1:
            causes.append(forbidden(here, "may not specify more than 1 volume type per source"))
    return causes


def _once(target: str, paths: set[str], path: str, shown: str | None = None) -> list[Cause]:
    if not target:
        return []
    if target in paths:
        return [invalid(path, target if shown is None else shown, "conflicting duplicate paths")]
    paths.add(target)
    return []


def _items(source: Object, path: str, here: str, paths: set[str], check_item: _CheckItem) -> list[Cause]:
    name = source.get("name") or ""
    causes = [] if name else [required(f"{here}.name")]
    for index, item in enumerate(source.get("items") or ()):
        causes += check_item(item, f"{here}.items[{index}]")
        causes += _once(item.get("path") or "", paths, path, name)
    return causes


def _token(source: Object, path: str, here: str) -> list[Cause]:
    causes: list[Cause] = []
    seconds = source.get("expirationSeconds") or 0
    if seconds < 600:
        told = "may not specify a duration less than 10 minutes"
        causes.append(invalid(f"{here}.expirationSeconds", seconds, told))
    if seconds > 1 << 32:
        told = "may not specify a duration larger than 2^32 seconds"
        causes.append(invalid(f"{here}.expirationSeconds", seconds, told))
    if target := source.get("path"):
        return causes + check_not_reserved(target, f"{path}.path")
    return [*causes, required(f"{path}.path")]


def _certificate(source: Object, path: str, here: str, paths: set[str]) -> list[Cause]:
    signer, key = source.get("signerName") or "", source.get("keyType") or ""
    causes = check_signer_name(signer, f"{here}.signerName")
    for annotation in source.get("userAnnotations") or {}:
        causes += _domain_key(annotation.lower(), f"{here}.userAnnotations")
    if key not in _KEYS:
        causes.append(not_supported(f"{here}.keyType", key, _KEYS))
    seconds = source.get("maxExpirationSeconds")
    if seconds is not None:
        most = 86400 if is_kubernetes(signer) else 91 * 86400
        if seconds < 3600:
            told = "if provided, maxExpirationSeconds must be >= 3600"
            causes.append(invalid(f"{here}.maxExpirationSeconds", seconds, told))
        if seconds > most:
            told = f"if provided, maxExpirationSeconds must be <= {most}"
            causes.append(invalid(f"{here}.maxExpirationSeconds", seconds, told))
    targets = [
        name for name in ("credentialBundlePath", "keyPath", "certificateChainPath") if source.get(name)
    ]
    for name in targets:
        causes += check_not_reserved(source[name], f"{here}.{name}")
        causes += _once(source[name], paths, path)
    if not targets:
        told = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        causes.append(required(here, told))
    return causes


def _domain_key(key: str, path: str) -> list[Cause]:
    if causes := each(path, key, formats.qualified_name(key)):
        return causes
    if "/" not in key:
        return [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')]
    return []

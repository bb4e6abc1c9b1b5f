"""Paths inside volumes: relative, and never out of them."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.server.rules.wording import invalid


def check_no_backsteps(target: str, path: str) -> list[Cause]:
    if ".." in target and ".." in target.split("/"):
        return [invalid(path, target, "must not contain '..'")]
    return []


def check_descending(target: str, path: str) -> list[Cause]:
    causes = [invalid(path, target, "must be a relative path")] if target.startswith("/") else []
    return causes + check_no_backsteps(target, path)


def check_not_reserved(target: str, path: str) -> list[Cause]:
    causes = check_descending(target, path)
    if target.startswith("..") and not target.startswith("../"):
        causes.append(invalid(path, target, "must not start with '..'"))
    return causes

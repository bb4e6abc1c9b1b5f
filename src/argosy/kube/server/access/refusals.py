"""The words of a 403. `Access.require` raises them, and so do impersonation and the checks of RBAC writes."""

from __future__ import annotations

from argosy.kube.errors import ApiError, forbidden
from argosy.kube.server.access.quoting import html_safe, quoted
from argosy.kube.server.access.vocabulary import Attributes, User


def refused(user: User, asked: Attributes, reason: str = "") -> ApiError:
    """`reason` is what the decision said about roles that it could not find, or nothing."""
    why = html_safe(_cannot(user, asked))
    return refused_object(asked.group, asked.resource, asked.name, f"{why}: {reason}" if reason else why)


def refused_object(group: str, resource: str, name: str, why: str) -> ApiError:
    qualified = f"{resource}.{group}" if group else resource
    if not qualified:
        message = f"forbidden: {why}"
    elif name:
        message = f"{qualified} {quoted(name)} is forbidden: {why}"
    else:
        message = f"{qualified} is forbidden: {why}"
    error = forbidden(message, plural=resource, name=name, group=group)
    error.bare = True
    return error


def _cannot(user: User, asked: Attributes) -> str:
    who = f"User {quoted(user.name)} cannot {asked.verb}"
    if asked.path:
        return f"{who} path {quoted(asked.path)}"
    resource = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
    what = f"{who} resource {quoted(resource)} in API group {quoted(asked.group)}"
    if asked.namespace:
        return f"{what} in the namespace {quoted(asked.namespace)}"
    return f"{what} at the cluster scope"

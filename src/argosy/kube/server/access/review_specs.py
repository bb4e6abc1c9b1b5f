"""What an access review asks, read out of its spec, and everything that may be wrong with it. Called by `reviews`."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.errors import Cause, invalid
from argosy.kube.objects import Object
from argosy.kube.server.access.quoting import as_json, quoted
from argosy.kube.server.access.selectors import selector_causes
from argosy.kube.server.access.vocabulary import Attributes, User

_METADATA = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
_NO_PATH = " "
"""A review may leave out the path. No rule but `*` means this one."""


def checked(review: Object) -> Object:
    """The spec. Raises ApiError 422."""
    spec = part(review, "spec")
    causes = [*_spec_causes(spec, str(review.get("kind"))), *_metadata_causes(review, spec)]
    if causes:
        # A real server leaves the kind out here: it has forgotten it by then.
        raise invalid("", "", causes, group="authorization.k8s.io")
    return spec


def asked(spec: Object) -> Attributes:
    resource = spec.get("resourceAttributes")
    if isinstance(resource, dict):
        return Attributes(
            text(resource, "verb"),
            text(resource, "group"),
            text(resource, "version") or "*",
            text(resource, "resource"),
            text(resource, "subresource"),
            text(resource, "namespace"),
            text(resource, "name"),
        )
    other = part(spec, "nonResourceAttributes")
    return Attributes(text(other, "verb"), path=text(other, "path") or _NO_PATH)


def subject(spec: Object) -> User:
    extra = part(spec, "extra")
    return User(
        text(spec, "user"),
        text(spec, "uid"),
        _texts(spec.get("groups")),
        {str(key): _texts(values) for key, values in extra.items()},
    )


def part(obj: Object, name: str) -> Object:
    found = obj.get(name)
    return found if isinstance(found, dict) else {}


def text(obj: Object, name: str) -> str:
    found = obj.get(name)
    return found if isinstance(found, str) else ""


def _texts(values: object) -> tuple[str, ...]:
    return tuple(str(one) for one in values) if isinstance(values, list) else ()


def _spec_causes(spec: Object, kind: str) -> Iterator[Cause]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        said = f"{_as_internal(other)}: cannot be specified in combination with resourceAttributes"
        yield _invalid("spec.nonResourceAttributes", said)
    if resource is None and other is None:
        said = "null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
        yield _invalid("spec.resourceAttributes", said)
    if kind != "SelfSubjectAccessReview" and not spec.get("user") and not spec.get("groups"):
        yield _invalid("spec.user", '"": at least one of user or group must be specified')
    if isinstance(resource, dict):
        yield from selector_causes(resource, "spec.resourceAttributes")


def _metadata_causes(review: Object, spec: Object) -> Iterator[Cause]:
    metadata = part(review, "metadata")
    local = review.get("kind") == "LocalSubjectAccessReview"
    allowed = {"managedFields", "namespace"} if local else {"managedFields"}
    if any(value for key, value in metadata.items() if key not in allowed):
        said = "must be empty except for namespace" if local else "must be empty"
        yield _invalid("metadata", f"{as_json(_in_order(metadata))}: {said}")
    if not local:
        return
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if isinstance(resource, dict) and text(resource, "namespace") != text(metadata, "namespace"):
        said = f"{quoted(text(resource, 'namespace'))}: must match metadata.namespace"
        yield _invalid("spec.resourceAttributes.namespace", said)
    if other is not None:
        yield _invalid(
            "spec.nonResourceAttributes", f"{_as_internal(other)}: disallowed on this kind of request"
        )


def _in_order(metadata: Object) -> Object:
    """As the server's own type prints: in the order in which it declares its fields."""
    return {name: metadata[name] for name in (*_METADATA, *metadata) if name in metadata}


def _invalid(field: str, said: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {said}", field)


def _as_internal(attributes: object) -> str:
    """As the server's own type prints: with Go's names."""
    written: Object = attributes if isinstance(attributes, dict) else {}
    return as_json({"Path": text(written, "path"), "Verb": text(written, "verb")})

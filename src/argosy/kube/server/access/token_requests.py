"""Issues service-account tokens: `POST …/serviceaccounts/<name>/token`, for pods, controllers and `kubectl create token`.

A token may be bound to a pod, a Secret or a node and ends with it; `service_accounts` sees to that when it is used.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from argosy.kube.errors import ApiError, Cause, bad_request, conflict, invalid, not_found
from argosy.kube.objects import Object, metadata, name_of, namespace_of, uid_of
from argosy.kube.server.access.authority import Authority
from argosy.kube.server.access.claims import user_name
from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.access.review_specs import part, text
from argosy.kube.server.access.vocabulary import Reader

_GROUP, _KIND = "authentication.k8s.io", "TokenRequest"
_HOUR = 3600
_SHORTEST, _LONGEST = 600, 1 << 32
_INJECTED = 3607
"""What kubelets ask for the tokens that they mount: these live a year, so that old clients which never read the file
again go on working, and the claim `warnafter` tells who they are."""
_YEAR = 365 * 24 * 3600
_COLLECTIONS = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}


class TokenRequests:
    def __init__(self, authority: Authority, reader: Reader) -> None:
        self._authority, self._reader = authority, reader

    def issue(self, request: Object, account: Object, bound: Object | None, now: float) -> Object:
        """The request with its status. `bound` is what it refers to, if the caller has it already."""
        request = self._completed(request, account, now)
        spec = request["spec"]
        reference = spec["boundObjectRef"]
        claims: Object = {
            "namespace": namespace_of(account),
            "serviceaccount": {"name": name_of(account), "uid": uid_of(account)},
        }
        seconds = spec["expirationSeconds"]
        if reference is not None:
            kind, found = self._bound(reference, account, bound)
            claims[kind.lower()] = {"name": name_of(found), "uid": uid_of(found)}
            if kind == "Pod":
                claims |= self._node(found)
                if seconds == _INJECTED and set(spec["audiences"]) <= set(self._authority.audiences):
                    claims["warnafter"] = int(now) + seconds
                    seconds = _YEAR
        request["status"] = {
            "token": self._signed(account, claims, spec["audiences"], int(now), seconds),
            "expirationTimestamp": _timestamp(now + spec["expirationSeconds"]),
        }
        return request

    def _completed(self, request: Object, account: Object, now: float) -> Object:
        """With what was left out. Raises ApiError 422 or 409 for what cannot be."""
        meta, spec = metadata(request), part(request, "spec")
        name = name_of(account)
        _check_place(meta, name, namespace_of(account))
        if (uid := text(meta, "uid")) and uid != uid_of(account):
            why = (
                f"the UID in the token request ({uid}) does not match the UID of the service account "
                f"({uid_of(account)})"
            )
            raise conflict(_KIND, name, why, group=_GROUP)
        seconds = spec.get("expirationSeconds")
        seconds = _HOUR if seconds is None else seconds
        _check_seconds(seconds)
        reference = spec.get("boundObjectRef")
        return {
            "kind": _KIND,
            "apiVersion": f"{_GROUP}/v1",
            "metadata": {
                **meta,
                "name": name,
                "namespace": namespace_of(account),
                "uid": uid_of(account),
                "creationTimestamp": _timestamp(now),
            },
            "spec": {
                "audiences": [str(one) for one in spec.get("audiences") or self._authority.audiences],
                "expirationSeconds": seconds,
                "boundObjectRef": reference if isinstance(reference, dict) else None,
            },
        }

    def _bound(self, reference: Object, account: Object, known: Object | None) -> tuple[str, Object]:
        kind, version = text(reference, "kind"), text(reference, "apiVersion")
        if kind not in _COLLECTIONS or "/" in version:
            raise bad_request(f"cannot bind token to object of type {_go_kind(version, kind)}")
        collection, name = _COLLECTIONS[kind], text(reference, "name")
        namespace = "" if kind == "Node" else namespace_of(account)
        found = known if known is not None else self._reader.get(collection, namespace, name)
        if found is None:
            raise not_found(collection, name)
        if kind == "Pod" and part(found, "spec").get("serviceAccountName") != name_of(account):
            raise bad_request(
                f"cannot bind token for serviceaccount {quoted(name_of(account))} to pod running with different "
                "serviceaccount name."
            )
        if (uid := text(reference, "uid")) and uid != uid_of(found):
            why = (
                f"the UID in the bound object reference ({uid}) does not match the UID in record. "
                "The object might have been deleted and then recreated"
            )
            raise conflict(kind, name, why)
        return kind, found

    def _node(self, pod: Object) -> Object:
        """Where the pod runs, as far as it is known."""
        name = text(part(pod, "spec"), "nodeName")
        if not name:
            return {}
        node = self._reader.get("nodes", "", name)
        return {"node": {"name": name} if node is None else {"name": name, "uid": uid_of(node)}}

    def _signed(self, account: Object, bound: Object, audiences: list[str], now: int, seconds: int) -> str:
        return self._authority.signing.sign(
            {
                "aud": audiences,
                "exp": now + seconds,
                "iat": now,
                "iss": self._authority.issuer,
                "jti": str(uuid.uuid4()),
                "kubernetes.io": bound,
                "nbf": now,
                "sub": user_name(namespace_of(account), name_of(account)),
            }
        )


def _check_place(meta: Object, name: str, namespace: str) -> None:
    if text(meta, "namespace") not in {"", namespace}:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    said = text(meta, "name")
    if said not in {"", name}:
        why = f"Invalid value: {quoted(said)}: must match the service account name if specified"
        raise invalid(_KIND, name, [Cause("FieldValueInvalid", why, "metadata.name")], group=_GROUP)


def _check_seconds(seconds: object) -> None:
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        raise _bad_seconds(0, "may not specify a duration less than 10 minutes")
    if seconds < _SHORTEST:
        raise _bad_seconds(seconds, "may not specify a duration less than 10 minutes")
    if seconds > _LONGEST:
        raise _bad_seconds(seconds, "may not specify a duration larger than 2^32 seconds")


def _bad_seconds(seconds: int, why: str) -> ApiError:
    cause = Cause("FieldValueInvalid", f"Invalid value: {seconds}: {why}", "spec.expirationSeconds")
    return invalid(_KIND, "", [cause], group=_GROUP)


def _go_kind(version: str, kind: str) -> str:
    group, _, plain = version.rpartition("/")
    return f"{group}/{plain}, Kind={kind}"


def _timestamp(moment: float) -> str:
    return datetime.fromtimestamp(int(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

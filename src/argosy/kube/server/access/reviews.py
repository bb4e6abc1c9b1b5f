"""Answers questions about rights and identities: `kubectl auth can-i` and `whoami`, and servers that delegate theirs.

A review is created and never stored; the answer is the review with its status. `Access.review` comes here by kind.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from argosy.kube.errors import bad_request, not_found
from argosy.kube.objects import Object
from argosy.kube.server.access.authentication import INVALID, Authentication, bearer
from argosy.kube.server.access.policy import Rule
from argosy.kube.server.access.rbac import Rbac, together
from argosy.kube.server.access.review_specs import asked, checked, part, subject, text
from argosy.kube.server.access.signing import BadToken
from argosy.kube.server.access.vocabulary import User


class Reviews:
    def __init__(
        self,
        authentication: Authentication,
        rbac: Rbac,
        *,
        audiences: Sequence[str],
        now: Callable[[], float],
    ) -> None:
        self._authentication, self._rbac, self._audiences, self._now = authentication, rbac, audiences, now

    def answer(self, user: User, review: Object) -> Object:
        """Raises ApiError 400 or 422 for a review that asks nothing that can be answered."""
        match review.get("kind"):
            case "SelfSubjectAccessReview":
                return self._access(review, checked(review), user)
            case "SubjectAccessReview" | "LocalSubjectAccessReview":
                spec = checked(review)
                return self._access(review, spec, subject(spec))
            case "SelfSubjectRulesReview":
                return self._rules(user, review)
            case "TokenReview":
                return self._token(review)
            case "SelfSubjectReview":
                return self._self(user, review)
        raise not_found("reviews", str(review.get("kind", "")))

    def _access(self, review: Object, spec: Object, who: User) -> Object:
        allowed, reason = self._rbac.decide(who, asked(spec))
        status: Object = {"allowed": allowed}
        if reason:
            status["reason"] = reason
        return {**review, "status": status}

    def _rules(self, user: User, review: Object) -> Object:
        namespace = text(part(review, "spec"), "namespace")
        if not namespace:
            raise bad_request("no namespace on request")
        rules, errors = self._rbac.rules_for(user, namespace)
        status: Object = {
            "resourceRules": [_resource_rule(rule) for rule in rules if rule.resources],
            "nonResourceRules": [
                {"verbs": [*rule.verbs], "nonResourceURLs": [*rule.urls]} for rule in rules if rule.urls
            ],
            "incomplete": False,
        }
        if errors:
            status["evaluationError"] = together(why.described() for why in errors)
        return {**_typed(review), "metadata": {}, "spec": {}, "status": status}

    def _token(self, review: Object) -> Object:
        spec = part(review, "spec")
        token = text(spec, "token")
        if not token:
            raise bad_request("token is required for TokenReview in authentication")
        audiences = [str(one) for one in spec.get("audiences") or ()] or self._audiences
        try:
            user, common = self._authentication.holder(bearer(f"Bearer {token}"), audiences)
        except BadToken as error:
            said = str(error)
            # Upstream asks two authenticators in turn, and the first one never knows the token.
            status: Object = {"user": {}, "error": said if said == INVALID else f"[{INVALID}, {said}]"}
        else:
            status = {"authenticated": True, "user": _described(user), "audiences": [*common]}
        return {**review, "status": status}

    def _self(self, user: User, review: Object) -> Object:
        created = datetime.fromtimestamp(self._now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            **_typed(review),
            "metadata": {"creationTimestamp": created},
            "status": {"userInfo": _described(user)},
        }


def _typed(review: Object) -> Object:
    return {"kind": review["kind"], "apiVersion": review.get("apiVersion", "")}


def _resource_rule(rule: Rule) -> Object:
    written: Object = {"verbs": [*rule.verbs]}
    for name, values in (
        ("apiGroups", rule.groups),
        ("resources", rule.resources),
        ("resourceNames", rule.names),
    ):
        if values:
            written[name] = [*values]
    return written


def _described(user: User) -> Object:
    written: Object = {
        "username": user.name,
        "uid": user.uid,
        "groups": [*user.groups],
        "extra": {key: [*values] for key, values in user.extra.items()},
    }
    return {key: value for key, value in written.items() if value}

"""The spec of a job, in a Job and in a CronJob's template."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.template import check_template, spec_of
from argosy.kube.server.rules.pods.warnings import warnings_of
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    each,
    invalid,
    nonnegative,
    not_supported,
    required,
    too_long,
)
from argosy.kube.server.rules.workloads.job_policies import check_failure_policy, check_success_policy

_COUNTS: Final = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
)
_MANY: Final = 100_000
_MANY_INDEXES: Final = 10_000
_TOO_MANY_INDEXES: Final = (
    "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, "
    "Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
)


def default_job_spec(spec: Object) -> None:
    if spec.get("completions") is None and spec.get("parallelism") is None:
        spec["completions"] = 1
    if spec.get("parallelism") is None:
        spec["parallelism"] = 1
    if spec.get("backoffLimit") is None:
        spec["backoffLimit"] = 6 if spec.get("backoffLimitPerIndex") is None else 2147483647
    if spec.get("completionMode") is None:
        spec["completionMode"] = "NonIndexed"
    if spec.get("suspend") is None:
        spec["suspend"] = False
    if spec.get("podReplacementPolicy") is None:
        failing = spec.get("podFailurePolicy") is not None
        spec["podReplacementPolicy"] = "Failed" if failing else "TerminatingOrFailed"
    if spec.get("manualSelector") is None:
        spec["manualSelector"] = False
    default_failure_policy(spec)


def default_failure_policy(spec: Object) -> None:
    for rule in (spec.get("podFailurePolicy") or {}).get("rules") or ():
        for pattern in rule.get("onPodConditions") or ():
            if not pattern.get("status"):
                pattern["status"] = "True"


def job_warnings(spec: Object, path: str) -> list[str]:
    told: list[str] = []
    many = (spec.get("completions") or 0) > _MANY and (spec.get("parallelism") or 0) > _MANY_INDEXES
    if spec.get("completionMode") == "Indexed" and many:
        told.append(f"{path}: {_TOO_MANY_INDEXES}")
    return told + warnings_of(spec.get("template") or {}, f"{path}.template")


def check_job_spec(spec: Object, path: str, how: Options) -> list[Cause]:
    causes: list[Cause] = []
    for field in _COUNTS:
        causes += nonnegative(f"{path}.{field}", spec.get(field))
    if (failed := spec.get("maxFailedIndexes")) is not None:
        causes += nonnegative(f"{path}.maxFailedIndexes", failed)
        if spec.get("backoffLimitPerIndex") is None:
            causes.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    if (manager := spec.get("managedBy")) is not None:
        causes += check_prefixed_path(manager, f"{path}.managedBy")
        if formats.size(manager) > 63:
            causes.append(too_long(f"{path}.managedBy", 63))
    causes += _check_mode(spec, path)
    if (policy := spec.get("podFailurePolicy")) is not None:
        causes += check_failure_policy(policy, spec, f"{path}.podFailurePolicy")
    if (success := spec.get("successPolicy")) is not None:
        if spec.get("completionMode") == "Indexed":
            causes += check_success_policy(success, spec, f"{path}.successPolicy")
        else:
            shown = printed("batch.SuccessPolicy", success)
            causes.append(invalid(f"{path}.successPolicy", shown, "requires indexed completion mode"))
    causes += _check_replacement(spec, f"{path}.podReplacementPolicy")
    template = spec.get("template") or {}
    causes += check_template(template, f"{path}.template", how)
    return causes + _check_restart(spec, template, f"{path}.template.spec.restartPolicy")


def check_prefixed_path(value: str, path: str) -> list[Cause]:
    """`example.com/anything`."""
    if not value:
        return [required(path)]
    host, slash, rest = value.partition("/")
    if not host or not slash or not rest:
        return [invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    return each(path, host, formats.subdomain(host)) + each(path, rest, formats.http_path(rest))


def _check_mode(spec: Object, path: str) -> list[Cause]:
    mode, causes = spec.get("completionMode"), []
    if mode is not None and mode not in {"NonIndexed", "Indexed"}:
        causes.append(not_supported(f"{path}.completionMode", mode, ("NonIndexed", "Indexed")))
    if mode == "Indexed":
        return causes + _check_indexed(spec, path)
    if mode in {None, "NonIndexed"}:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if (value := spec.get(field)) is not None:
                causes.append(invalid(f"{path}.{field}", value, "requires indexed completion mode"))
    return causes


def _check_indexed(spec: Object, path: str) -> list[Cause]:
    completions, parallelism = spec.get("completions"), spec.get("parallelism")
    failed = spec.get("maxFailedIndexes")
    causes: list[Cause] = []
    if completions is None:
        causes.append(required(f"{path}.completions", "when completion mode is Indexed"))
    if parallelism is not None and parallelism > _MANY:
        told = f"must be less than or equal to {_MANY} when completion mode is Indexed"
        causes.append(invalid(f"{path}.parallelism", parallelism, told))
    if failed is not None:
        if completions is not None and failed > completions:
            told = "must be less than or equal to completions"
            causes.append(invalid(f"{path}.maxFailedIndexes", failed, told))
        if failed > _MANY:
            causes.append(
                invalid(f"{path}.maxFailedIndexes", failed, f"must be less than or equal to {_MANY}")
            )
    if completions is None or completions <= _MANY or spec.get("backoffLimitPerIndex") is None:
        return causes
    if failed is None:
        told = f"must be specified when completions is above {_MANY}"
        causes.append(required(f"{path}.maxFailedIndexes", told))
    told = (
        f"must be less than or equal to {_MANY_INDEXES} when completions are above {_MANY} "
        "and used with backoff limit per index"
    )
    for field, value in (("parallelism", parallelism), ("maxFailedIndexes", failed)):
        if value is not None and value > _MANY_INDEXES:
            causes.append(invalid(f"{path}.{field}", value, told))
    return causes


def _check_replacement(spec: Object, path: str) -> list[Cause]:
    policy = spec.get("podReplacementPolicy")
    known = ("Failed",) if spec.get("podFailurePolicy") is not None else ("Failed", "TerminatingOrFailed")
    return [] if policy is None or policy in known else [not_supported(path, policy, known)]


def _check_restart(spec: Object, template: Object, path: str) -> list[Cause]:
    policy = spec_of(template).get("restartPolicy") or ""
    if policy in {"Always", ""}:
        return [required(path, 'valid values: "OnFailure", "Never"')]
    if policy not in {"OnFailure", "Never"}:
        return [not_supported(path, policy, ("OnFailure", "Never"))]
    if spec.get("podFailurePolicy") is not None and policy != "Never":
        told = 'only "Never" is supported when podFailurePolicy is specified'
        return [invalid(path, policy, told)]
    return []

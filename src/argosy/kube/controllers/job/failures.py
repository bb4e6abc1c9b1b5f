"""What a failed pod means for its Job, by the Job's pod failure policy. Pure."""

from __future__ import annotations

from typing import NamedTuple

from argosy.kube.objects import Object, name_of, namespace_of


class Verdict(NamedTuple):
    action: str
    """`Count`, `Ignore` or `FailJob`."""
    message: str = ""


def judge(job: Object, pod: Object) -> Verdict:
    """The first rule that fits decides."""
    rules = (job["spec"].get("podFailurePolicy") or {}).get("rules") or ()
    for number, rule in enumerate(rules):
        why = (
            _by_exit_code(pod, rule, number) if rule.get("onExitCodes") else _by_condition(pod, rule, number)
        )
        if why:
            action = rule.get("action", "Count")
            return Verdict(action if action in {"Ignore", "FailJob"} else "Count", why)
    return Verdict("Count")


def _by_exit_code(pod: Object, rule: Object, number: int) -> str:
    wanted = rule["onExitCodes"]
    status = pod.get("status") or {}
    for one in [*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ())]:
        if wanted.get("containerName") not in {None, one["name"]}:
            continue
        code = ((one.get("state") or {}).get("terminated") or {}).get("exitCode")
        if not code:
            continue
        listed = code in (wanted.get("values") or ())
        if listed == (wanted.get("operator") == "In"):
            return (
                f"Container {one['name']} for pod {namespace_of(pod)}/{name_of(pod)} failed with exit code {code} "
                f"matching {rule.get('action')} rule at index {number}"
            )
    return ""


def _by_condition(pod: Object, rule: Object, number: int) -> str:
    have = (pod.get("status") or {}).get("conditions") or ()
    for wanted in rule.get("onPodConditions") or ():
        for one in have:
            if one["type"] == wanted["type"] and one["status"] == wanted.get("status", "True"):
                return (
                    f"Pod {namespace_of(pod)}/{name_of(pod)} has condition {one['type']} "
                    f"matching {rule.get('action')} rule at index {number}"
                )
    return ""

"""Writes the status of an ApplicationSet: once for each look where nothing rolls out, and never when it says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from argosy.argo.cd.application_sets import conditions, resources, steps, validating
from argosy.argo.cd.application_sets.conditions import Condition
from argosy.argo.cd.application_sets.failing import GenerationFailed, Reason
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.application_sets.turned import REFRESH
from argosy.argo.cd.application_sets.unsupported import unknown_fields
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.objects import Object, annotations_of
from argosy.kube.reconcile import Workplace

_BEHIND_PARAMETERS: frozenset[Reason] = frozenset(["ApplicationSetRolloutError"])


def read(application_set: Object) -> SetSpec:
    """Raises `GenerationFailed`."""
    try:
        return msgspec.convert(application_set.get("spec"), SetSpec)
    except msgspec.ValidationError as error:
        raise GenerationFailed(f"the spec cannot be read: {error}") from error


class Telling:
    def __init__(self, place: Workplace, settings: Settings) -> None:
        self._place, self._settings = place, settings

    async def rollout(
        self, application_set: Object, statuses: list[Object], told: Iterable[Condition]
    ) -> Object:
        """Before anything is asked for: what is written here is not asked for a second time."""
        status = {**(application_set.get("status") or {}), "applicationStatus": statuses}
        return await self._place.write_status(
            application_set, conditions.with_conditions(status, told, rolling=True)
        )

    async def failure(self, application_set: Object, error: GenerationFailed) -> None:
        """Nothing was done, so only the conditions change."""
        generated = error.reason in _BEHIND_PARAMETERS
        await self.trouble(application_set, error.reason, error.message, generated=generated)

    async def trouble(
        self, application_set: Object, reason: Reason, message: str, *, generated: bool = True
    ) -> None:
        told = conditions.failed(reason, message, generated=generated)
        await self._write(application_set, application_set.get("status") or {}, told)

    async def outcome(
        self, application_set: Object, apps: Iterable[Object], errors: Mapping[str, str]
    ) -> None:
        told = conditions.done()
        if errors:
            told = conditions.failed("ApplicationValidationError", validating.summary(errors), generated=True)
        before = application_set.get("status") or {}
        status = {key: value for key, value in before.items() if key not in {"resources", "resourcesCount"}}
        if not self.is_rolling(application_set):
            status.pop("applicationStatus", None)
        status |= resources.listed(apps, most=self._settings.most_resources)
        written = await self._write(application_set, status, told)
        if REFRESH in annotations_of(written):
            await self._place.patch(written, {"metadata": {"annotations": {REFRESH: None}}})

    def is_rolling(self, application_set: Object) -> bool:
        try:
            return self._settings.rolling and steps.is_rolling(read(application_set))
        except GenerationFailed:
            return False

    async def _write(self, application_set: Object, status: Object, told: list[Condition]) -> Object:
        told = [*told, *conditions.unsupported(unknown_fields(application_set.get("spec") or {}))]
        rolling = self.is_rolling(application_set)
        return await self._place.write_status(
            application_set, conditions.with_conditions(status, told, rolling=rolling)
        )

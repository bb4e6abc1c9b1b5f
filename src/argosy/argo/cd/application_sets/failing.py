"""Why a set cannot say which applications it wants. Nothing is changed or deleted then; its conditions say this."""

from __future__ import annotations

from typing import Literal, TypeAlias

Reason: TypeAlias = Literal[
    "ApplicationGenerationFromParamsError",
    "RenderTemplateParamsError",
    "ApplicationValidationError",
    "UpdateApplicationError",
    "CreateApplicationError",
    "DeleteApplicationError",
    "RefreshApplicationError",
    "ApplicationSetRolloutError",
]


class GenerationFailed(Exception):
    def __init__(self, message: str, reason: Reason = "ApplicationGenerationFromParamsError") -> None:
        super().__init__(message)
        self.message, self.reason = message, reason

    def within(self, where: str) -> GenerationFailed:
        """The same, with what was being done."""
        return GenerationFailed(f"{where}: {self.message}", self.reason)

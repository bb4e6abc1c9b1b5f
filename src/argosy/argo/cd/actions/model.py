"""What an action is: offered on an object of some kind, carried out as changes that somebody else applies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from argosy.kube.objects import Object

Params: TypeAlias = Mapping[str, str]


class ActionError(Exception):
    """Why an action cannot be carried out, for the person who asked for it."""


@dataclass(frozen=True, slots=True)
class Action:
    """As a person sees it. `icon` is a class of Font Awesome, as Argo CD's UI has them; `params` are names with what they start from."""

    name: str
    disabled: bool = False
    display_name: str = ""
    icon: str = ""
    params: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """`patch`: the object as it shall be; only what differs from the live one is written, and its status on its own."""

    operation: Literal["create", "patch"]
    object: Object


@dataclass(frozen=True, slots=True)
class Call:
    """One time that an action is carried out. `obj` is a copy: it may be changed."""

    obj: Object
    params: Params
    now: datetime

    def stamp(self) -> str:
        return f"{self.now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


Do: TypeAlias = Callable[[Call], Change | None]
"""None: the changed object is patched."""


@dataclass(frozen=True, slots=True)
class Builtin:
    """An action of a kind. `shown`: whether it is offered for this object at all; `disabled`: whether it makes no sense now."""

    name: str
    do: Do
    icon: str = ""
    display_name: str | Callable[[Object], str] = ""
    params: Callable[[Object], tuple[tuple[str, str], ...]] | tuple[tuple[str, str], ...] = ()
    shown: Callable[[Object], bool] = field(default=lambda _: True)
    disabled: Callable[[Object], bool] = field(default=lambda _: False)

    def offered(self, obj: Object) -> Action:
        title = self.display_name if isinstance(self.display_name, str) else self.display_name(obj)
        params = self.params if isinstance(self.params, tuple) else self.params(obj)
        return Action(self.name, self.disabled(obj), title, self.icon and f"fa fa-fw fa-{self.icon}", params)

    def perform(self, obj: Object, params: Params, now: datetime) -> list[Change]:
        call = Call(deepcopy(obj), params, now)
        return [self.do(call) or Change("patch", call.obj)]

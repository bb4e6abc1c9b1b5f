"""Teams, and service accounts: keys for machines, independent of any person."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.contracts.identity.words import NamedRef, Role
from argosy.contracts.paging import Id, Ids, Name, Text


class Team(msgspec.Struct, frozen=True):
    id: str
    name: str
    description: str
    members: int
    created: datetime
    everyone: bool = False  # the team that all are in without being listed; it cannot be removed


class NewTeam(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    description: Text = ""
    members: Ids = []


class TeamChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    description: Text | None = None
    add_members: Ids = []
    remove_members: Ids = []


class ServiceAccount(msgspec.Struct, frozen=True):
    id: str
    name: str
    role: Role
    teams: list[NamedRef]
    keys: int
    created: datetime


class NewServiceAccount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Name
    role: Role = "user"
    teams: Ids = []


class ServiceAccountChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: Name | None = None
    role: Role | None = None
    teams: Ids | None = None

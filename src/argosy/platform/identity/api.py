"""The contract's methods, put together from a class per noun. `parts` is what they share, `service` builds it."""

from __future__ import annotations

from argosy.platform.identity.access_rules import AccessRules
from argosy.platform.identity.accounts import Accounts
from argosy.platform.identity.administrators import Administrators
from argosy.platform.identity.api_keys import ApiKeys
from argosy.platform.identity.credentials import Credentials
from argosy.platform.identity.deciding import Deciding
from argosy.platform.identity.first_run import Beginnings
from argosy.platform.identity.invitations import Invitations
from argosy.platform.identity.me import MyThings
from argosy.platform.identity.service_accounts import ServiceAccounts
from argosy.platform.identity.teams import Teams
from argosy.platform.identity.users import Users


class Api(
    Credentials,
    Beginnings,
    MyThings,
    Accounts,
    Administrators,
    Users,
    Invitations,
    Teams,
    ServiceAccounts,
    ApiKeys,
    AccessRules,
    Deciding,
):
    """Nothing of its own: whoever looks for a method finds it in the module of its noun."""

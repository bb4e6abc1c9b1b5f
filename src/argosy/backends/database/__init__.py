"""The database port: PostgreSQL, one schema and one role per service, every row behind the account it belongs to.

A service's `store.py` is the only caller. It opens `database.transaction(account)`, or `database.run(account, work)`
where a conflict should be tried again, and maps rows to Structs. `migrations` tells how tables come to be and how
they are isolated, `paging` how lists are cut, `failures` which errors a caller meets. Events ride on the same
transactions: `backends.events`.

JSON columns are text in both directions: `$1::jsonb` takes `to_json(value)`, and `msgspec.json.decode(row["body"])`
reads it.
"""

from argosy.backends.database.database import Database
from argosy.backends.database.paging import Keyset, PagePlan, SortColumn
from argosy.backends.database.transaction import (
    EVERY_ACCOUNT,
    Row,
    Statements,
    Transaction,
    in_transaction,
    to_json,
)

__all__ = [
    "EVERY_ACCOUNT",
    "Database",
    "Keyset",
    "PagePlan",
    "Row",
    "SortColumn",
    "Statements",
    "Transaction",
    "in_transaction",
    "to_json",
]

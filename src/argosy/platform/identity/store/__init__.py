"""All of identity's SQL, a module per noun. Functions take a `Transaction`, which already is one account's or everyone's.

Credentials and a person's own things (`people`, `sessions`, `keys`, `links`, `throttles`) are looked up before an account
is known, or across one's accounts, so their callers open the transaction for every account and always name the person or
a secret's hash. All else runs inside one account, with row-level security behind it.
"""

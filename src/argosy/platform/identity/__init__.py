"""Who somebody is and what they belong to: accounts, users, teams, keys, sessions, access rules, and tokens.

The contract is `contracts/identity.py`. Read `service` for the wiring and `api` for the shape; `credentials` and
`principals` are the way in, `issuer` makes the tokens, `store/` holds all SQL.
"""

-- Tables with a column `account` show a transaction only that account's rows. People are not an account's: `users` shows
-- those who are members of it, and what is reached only through a secret's hash (`links`) or a hashed name (`throttles`)
-- belongs to no account. Secrets are stored as hashes alone.

CREATE TABLE accounts (
    account       text PRIMARY KEY,
    name          text NOT NULL,
    time_zone     text NOT NULL,
    rules_version bigint NOT NULL DEFAULT 1,
    created       timestamptz NOT NULL
);
SELECT isolate_accounts('accounts');

CREATE TABLE users (
    id                   text PRIMARY KEY,
    email                text NOT NULL CONSTRAINT users_email UNIQUE CHECK (email = lower(email)),
    password_hash        text NOT NULL,
    must_change_password boolean NOT NULL,
    platform_admin       boolean NOT NULL DEFAULT false,
    time_zone            text NOT NULL DEFAULT 'UTC',
    created              timestamptz NOT NULL
);

-- The name is the membership's, so that an account never sees what a person is called elsewhere.
CREATE TABLE memberships (
    account   text NOT NULL REFERENCES accounts,
    user_id   text NOT NULL REFERENCES users,
    name      text NOT NULL,
    role      text NOT NULL CHECK (role IN ('admin', 'user')),
    disabled  boolean NOT NULL DEFAULT false,
    created   timestamptz NOT NULL,
    last_seen timestamptz,
    CONSTRAINT memberships_one PRIMARY KEY (account, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);
SELECT isolate_accounts('memberships');

-- Reading follows membership, through the policy of `memberships`; adding somebody new precedes it.
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY members ON users
    USING (
        current_setting('argosy.account', true) = '*'
        OR EXISTS (SELECT FROM memberships WHERE memberships.user_id = users.id)
    )
    WITH CHECK (true);

CREATE TABLE service_accounts (
    id      text PRIMARY KEY,
    account text NOT NULL REFERENCES accounts,
    name    text NOT NULL,
    role    text NOT NULL CHECK (role IN ('admin', 'user')),
    created timestamptz NOT NULL
);
CREATE UNIQUE INDEX service_accounts_name ON service_accounts (account, lower(name));
SELECT isolate_accounts('service_accounts');

-- `everyone` marks the one team per account that all its users and service accounts are in without being listed.
CREATE TABLE teams (
    id          text PRIMARY KEY,
    account     text NOT NULL REFERENCES accounts,
    name        text NOT NULL,
    description text NOT NULL,
    everyone    boolean NOT NULL DEFAULT false,
    created     timestamptz NOT NULL
);
CREATE UNIQUE INDEX teams_name ON teams (account, lower(name));
CREATE UNIQUE INDEX teams_everyone ON teams (account) WHERE everyone;
SELECT isolate_accounts('teams');

CREATE TABLE team_members (
    account text NOT NULL REFERENCES accounts,
    team    text NOT NULL REFERENCES teams ON DELETE CASCADE,
    member  text NOT NULL, -- a user or a service account of the account
    PRIMARY KEY (team, member)
);
CREATE INDEX team_members_member ON team_members (account, member);
SELECT isolate_accounts('team_members');

CREATE TABLE invitations (
    id         text PRIMARY KEY,
    account    text NOT NULL REFERENCES accounts,
    email      text NOT NULL CHECK (email = lower(email)),
    role       text NOT NULL CHECK (role IN ('admin', 'user')),
    teams      text[] NOT NULL,
    invited_by text NOT NULL,
    token_hash bytea NOT NULL UNIQUE,
    created    timestamptz NOT NULL,
    expires    timestamptz NOT NULL,
    CONSTRAINT invitations_email UNIQUE (account, email)
);
SELECT isolate_accounts('invitations');

CREATE TABLE sessions (
    id         text PRIMARY KEY,
    account    text NOT NULL REFERENCES accounts,
    user_id    text NOT NULL REFERENCES users,
    token_hash bytea NOT NULL UNIQUE,
    created    timestamptz NOT NULL,
    last_seen  timestamptz NOT NULL,
    expires    timestamptz NOT NULL,
    remote     text NOT NULL,
    user_agent text NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id, id);
SELECT isolate_accounts('sessions');

CREATE TABLE api_keys (
    id         text PRIMARY KEY,
    account    text NOT NULL REFERENCES accounts,
    owner      text NOT NULL,
    owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'service_account')),
    name       text NOT NULL,
    prefix     text NOT NULL,
    key_hash   bytea NOT NULL UNIQUE,
    scopes     text[],
    created    timestamptz NOT NULL,
    expires    timestamptz,
    last_used  timestamptz
);
CREATE INDEX api_keys_owner ON api_keys (account, owner);
SELECT isolate_accounts('api_keys');

CREATE TABLE access_rules (
    id               text PRIMARY KEY,
    account          text NOT NULL REFERENCES accounts,
    name             text NOT NULL,
    entity           text NOT NULL,
    teams            text[] NOT NULL CHECK (cardinality(teams) > 0),
    actions          text[] NOT NULL,
    conditions       jsonb NOT NULL,
    tags             text[] NOT NULL,
    tag_logic        text NOT NULL CHECK (tag_logic IN ('any', 'all')),
    related_resource text NOT NULL,
    enabled          boolean NOT NULL,
    created          timestamptz NOT NULL,
    updated          timestamptz NOT NULL
);
CREATE UNIQUE INDEX access_rules_name ON access_rules (account, lower(name));
CREATE INDEX access_rules_teams ON access_rules USING gin (teams);
SELECT isolate_accounts('access_rules');

-- Single-use sign-in links.
CREATE TABLE links (
    token_hash bytea PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users,
    expires    timestamptz NOT NULL
);
CREATE INDEX links_user ON links (user_id);

-- Failed attempts per hashed e-mail and per remote address.
CREATE TABLE throttles (
    key          text PRIMARY KEY,
    failures     integer NOT NULL,
    last         timestamptz NOT NULL,
    locked_until timestamptz
);
CREATE INDEX throttles_last ON throttles (last);

-- Repositories by account; their content lies in the data directory, under account and id.
CREATE TABLE repositories (
  id text PRIMARY KEY,
  account text NOT NULL,
  name text NOT NULL,
  description text NOT NULL,
  default_branch text NOT NULL,
  protections jsonb NOT NULL,
  push_limit_mb integer,
  size_limit_mb integer,
  size bigint NOT NULL DEFAULT 0,          -- bytes on disk, as of the last look
  unpacked integer NOT NULL DEFAULT 0,     -- pushes since it was last packed
  created timestamptz NOT NULL,
  pushed timestamptz
);
CREATE UNIQUE INDEX repositories_name ON repositories (account, lower(name));
SELECT isolate_accounts('repositories');

-- Where each ref was when it was last announced: what differs from it on disk has not been.
CREATE TABLE heads (
  repository text NOT NULL REFERENCES repositories ON DELETE CASCADE,
  account text NOT NULL,
  ref text NOT NULL,
  oid text NOT NULL,
  PRIMARY KEY (repository, ref)
);
SELECT isolate_accounts('heads');

-- What a push was allowed to do, written before git does it: after a crash it tells who did.
CREATE TABLE intents (
  push text NOT NULL,
  repository text NOT NULL REFERENCES repositories ON DELETE CASCADE,
  account text NOT NULL,
  ref text NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  call jsonb NOT NULL,
  made timestamptz NOT NULL,
  PRIMARY KEY (push, ref)
);
CREATE INDEX intents_by_repository ON intents (repository);
SELECT isolate_accounts('intents');

-- Removed repositories whose folder is still there.
CREATE TABLE removals (
  repository text PRIMARY KEY,
  account text NOT NULL
);
SELECT isolate_accounts('removals');

-- The sealed entries. Columns are the truth: the hash is recomputed from them, so what is shown is what is verified.
-- `before` and `after` are text, because the hash covers their bytes.
CREATE TABLE entries (
  account text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('change', 'read')),
  number bigint NOT NULL,
  previous bytea NOT NULL,
  hash bytea NOT NULL,
  id text NOT NULL,
  time timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor_id text NOT NULL,
  actor_name text NOT NULL,
  actor_credential text NOT NULL,
  remote text NOT NULL,
  user_agent text NOT NULL,
  service text NOT NULL,
  operation text NOT NULL,
  resource text NOT NULL,
  resource_id text NOT NULL,
  resource_name text NOT NULL,
  result text NOT NULL,
  error text NOT NULL,
  request_id text NOT NULL,
  before text NOT NULL,
  after text NOT NULL,
  PRIMARY KEY (account, kind, number)
);
CREATE UNIQUE INDEX entries_id ON entries (account, id);
CREATE INDEX entries_newest ON entries (account, time, id);
CREATE INDEX entries_changes ON entries (account, time, id) WHERE kind = 'change';
CREATE INDEX entries_troubles ON entries (account, result, time, id) WHERE result <> 'ok';
CREATE INDEX entries_actor ON entries (account, actor_id, time, id);
CREATE INDEX entries_operation ON entries (account, operation, time, id);
CREATE INDEX entries_resource ON entries (account, resource, time, id);
CREATE INDEX entries_resource_id ON entries (account, resource_id, time, id) WHERE resource_id <> '';
SELECT isolate_accounts('entries');

-- Where each chain stands: its head, the signed checkpoint before its oldest entry, and how far it is anchored.
CREATE TABLE chains (
  account text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('change', 'read')),
  number bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT decode(repeat('00', 32), 'hex'),
  sealed timestamptz NOT NULL DEFAULT now(),
  anchored bigint NOT NULL DEFAULT 0,
  checkpoint json,
  PRIMARY KEY (account, kind)
);
CREATE INDEX chains_ahead ON chains (account) WHERE number > anchored;
SELECT isolate_accounts('chains');

CREATE TABLE settings (
  account text PRIMARY KEY,
  reads_kept_days integer NOT NULL,
  changes_kept_days integer NOT NULL
);
SELECT isolate_accounts('settings');

-- The words of each entry, for searching. Row-level security would forbid the use of its GIN index (`@@` is not
-- leakproof), so the rule stands in the only function that reads by words, and it answers nothing but ids.
-- `account || ''` there keeps the planner from reading an account's whole primary key besides.
CREATE TABLE entry_words (
  account text NOT NULL,
  id text NOT NULL,
  words tsvector NOT NULL,
  PRIMARY KEY (account, id)
);
CREATE INDEX entry_words_words ON entry_words USING gin (words) WITH (gin_pending_list_limit = 1024);

CREATE FUNCTION entries_with(wanted_account text, query tsquery, most integer) RETURNS SETOF text
LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT id FROM entry_words
  WHERE words @@ query AND account || '' = wanted_account AND current_setting('argosy.account') IN (wanted_account, '*')
  LIMIT most
$$;

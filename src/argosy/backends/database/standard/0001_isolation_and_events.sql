-- Row-level security in one line of a service's migration: SELECT isolate_accounts('teams');
-- The setting is read once per statement, not per row; absent or empty it is NULL, and nothing is visible.
CREATE FUNCTION isolate_accounts(isolated regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  setting constant text := '(SELECT nullif(current_setting(''argosy.account'', true), ''''))';
  visible constant text := format('(account = %1$s OR %1$s = ''*'')', setting);
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', isolated);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', isolated);
  EXECUTE format('DROP POLICY IF EXISTS account_isolation ON %s', isolated);
  EXECUTE format('CREATE POLICY account_isolation ON %s USING (%s) WITH CHECK (%s)', isolated, visible, visible);
END $$;

-- What this service tells the others (backends.events). Only the event machinery reads it, across accounts.
-- A row's number is taken only after its transaction has an xid: readers count on that (backends.events.source).
CREATE SEQUENCE outbox_seq;
CREATE TABLE outbox (
  seq bigint PRIMARY KEY DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('outbox_seq') END,
  id text NOT NULL,
  type text NOT NULL,
  account text NOT NULL,
  key text NOT NULL,
  time timestamptz NOT NULL,
  body json NOT NULL
);
ALTER SEQUENCE outbox_seq OWNED BY outbox.seq;

-- One row: the server that holds the outbox (a restored copy starts another epoch), and what was pruned.
CREATE TABLE outbox_state (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  server bigint NOT NULL,
  epoch text NOT NULL,
  pruned_seq bigint NOT NULL DEFAULT 0
);

-- How far each consumer of this service has come in each source, written with the effect.
CREATE TABLE event_cursors (
  consumer text NOT NULL,
  source text NOT NULL,
  epoch text NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (consumer, source)
);

-- What each consumer has handled, written with the effect: a second delivery finds itself here.
CREATE TABLE inbox (
  consumer text NOT NULL,
  id text NOT NULL,
  handled timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, id)
);

-- Events that a consumer could not handle, and those of the same key that wait behind them, in order.
CREATE TABLE dead_letters (
  number bigserial PRIMARY KEY,
  consumer text NOT NULL,
  source text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  account text NOT NULL,
  key text NOT NULL,
  time timestamptz NOT NULL,
  body json NOT NULL,
  error text NOT NULL,
  attempts integer NOT NULL,
  parked timestamptz NOT NULL DEFAULT now(),
  UNIQUE (consumer, id)
);
CREATE INDEX dead_letters_by_key ON dead_letters (consumer, key, number);
SELECT isolate_accounts('dead_letters');

-- Writes that carried an idempotency key: committed with the change, so a repeated request finds that it was done.
CREATE TABLE idempotency (
  account text NOT NULL,
  principal text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  request bytea NOT NULL,           -- digest: the same key with another request is a mistake
  resource_id text NOT NULL,
  response text,                    -- absent until answered, and for ever where it held a secret
  made timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (account, principal, operation, key)
);
CREATE INDEX idempotency_made ON idempotency (made);
SELECT isolate_accounts('idempotency');

-- Schedules of services, for an account or (account '') for the installation.
-- `planned_until` only grows: every due time up to it has been fired or passed over.
CREATE TABLE schedules (
  id text PRIMARY KEY,
  account text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  expression text NOT NULL,
  time_zone text NOT NULL,
  payload text NOT NULL,
  missed text NOT NULL,
  enabled boolean NOT NULL,
  passed integer NOT NULL DEFAULT 0,
  planned_until timestamptz NOT NULL,
  next_due timestamptz,
  last_due timestamptz,
  last_fired timestamptz,
  UNIQUE (account, owner, name)
);
CREATE INDEX schedules_next_due ON schedules (next_due) WHERE enabled;
CREATE INDEX schedules_by_name ON schedules (account, name, id);
SELECT isolate_accounts('schedules');

-- What has fired, for some weeks: a second firing of the same due time meets its own row.
CREATE TABLE ticks (
  schedule text NOT NULL,
  due timestamptz NOT NULL,
  account text NOT NULL,
  fired timestamptz NOT NULL,
  PRIMARY KEY (schedule, due)
);
CREATE INDEX ticks_fired ON ticks (fired);
SELECT isolate_accounts('ticks');

-- Each account's time zone, as identity tells it.
CREATE TABLE zones (
  account text PRIMARY KEY,
  time_zone text NOT NULL
);
SELECT isolate_accounts('zones');

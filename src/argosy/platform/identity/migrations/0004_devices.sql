-- Browsers and command lines in which a person has signed in before, by the hash of their cookie. They prove nothing; but
-- their wrong passwords are counted apart, so that nobody elsewhere can lock the person out of them.
CREATE TABLE devices (
    token_hash bytea PRIMARY KEY,
    user_id    text NOT NULL REFERENCES users ON DELETE CASCADE,
    last_used  timestamptz NOT NULL
);
CREATE INDEX devices_user ON devices (user_id, last_used);

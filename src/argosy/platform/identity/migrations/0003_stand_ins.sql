-- A stand-in: somebody was added to an account whose e-mail is a known person's already. It is a row of its own, with an id
-- of its own, so that the account sees nothing of that person, and nobody signs in as it. Who shows its one-time password
-- and proves to be the person takes its place. `join_hash` is the password's digest, and what makes the row a stand-in.
ALTER TABLE users ADD COLUMN join_hash bytea UNIQUE;
ALTER TABLE users DROP CONSTRAINT users_email;
CREATE UNIQUE INDEX users_email ON users (email) WHERE join_hash IS NULL;

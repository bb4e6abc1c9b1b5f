-- The password that the first start made up, until it is replaced: as long as nobody has signed in, the next start may have to
-- hand out another, because nobody saw this one.
ALTER TABLE users ADD COLUMN first_password boolean NOT NULL DEFAULT false;

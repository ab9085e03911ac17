-- get --
-- Read a contact of this organization only; an archived one when it is wanted too.
SELECT org, contact, name, nif, address, email, payment_days, version, archived_at
  FROM contacts
 WHERE org = :org AND contact = :contact AND (archived_at IS NULL OR :archived = 1);

-- hold --
-- Keep a contact as it is until the transaction ends, and with it what points at it: whoever counts
-- or reads that in order to decide holds the contact first.
-- Differs by necessity: a writing transaction is alone here, so nothing has to be locked.
SELECT contact
  FROM contacts
 WHERE org = :org AND contact = :contact;

-- all --
-- Read the organization's contacts, to compare names without accents in the program.
SELECT org, contact, name, nif, address, email, payment_days, version, archived_at
  FROM contacts
 WHERE org = :org AND archived_at IS NULL
 ORDER BY name, contact;

-- alike --
-- Find contacts that may be the same person as a new one: no two people share a tax id, and an
-- address is one whatever the case of its letters.
SELECT org, contact, name, nif, address, email, payment_days, version, archived_at
  FROM contacts
 WHERE org = :org AND archived_at IS NULL
   AND (nif = :nif OR lower(email) = lower(:email))
 ORDER BY name, contact;

-- add --
-- Write a new contact down.
INSERT INTO contacts (org, contact, name, nif, address, email, payment_days, version, created_at)
VALUES (:org, :contact, :name, :nif, :address, :email, :payment_days, 1, :now);

-- change --
-- Change the very contact that was read; one that changed since is left as it is.
UPDATE contacts
   SET name = :name, nif = :nif, address = :address, email = :email,
       payment_days = :payment_days, version = version + 1
 WHERE org = :org AND contact = :contact AND version = :version AND archived_at IS NULL;

-- archive --
-- Put the very contact that was read away; its invoices stay its own.
UPDATE contacts
   SET archived_at = :now, version = version + 1
 WHERE org = :org AND contact = :contact AND version = :version AND archived_at IS NULL;

-- restore --
-- Bring a contact back as it was when it was put away.
UPDATE contacts
   SET archived_at = NULL, version = version + 1
 WHERE org = :org AND contact = :contact AND version = :version AND archived_at IS NOT NULL;

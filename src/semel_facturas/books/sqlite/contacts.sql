-- get --
-- Read a contact of this organization only.
SELECT org, contact, name, nif, address, email, payment_days, version
  FROM contacts
 WHERE org = :org AND contact = :contact;

-- all --
-- Read the organization's contacts, to compare names without accents in the program.
SELECT org, contact, name, nif, address, email, payment_days, version
  FROM contacts
 WHERE org = :org
 ORDER BY name, contact;

-- add --
-- Write a new contact down.
INSERT INTO contacts (org, contact, name, nif, address, email, payment_days, version, created_at)
VALUES (:org, :contact, :name, :nif, :address, :email, :payment_days, 1, :now);

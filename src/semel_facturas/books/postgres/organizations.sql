-- get --
-- Read an organization, the issuer of its invoices.
SELECT org, name, nif, address, email, zone, default_vat
  FROM organizations
 WHERE org = :org;

-- hold --
-- Keep an organization as it is until the transaction ends, so that two contacts that are alike are
-- written one after the other.
-- Differs by necessity: others write beside it here, so the row is locked.
SELECT org
  FROM organizations
 WHERE org = :org
   FOR NO KEY UPDATE;

-- add --
-- Make an organization once; one that exists is left as it is, so that a seed can be repeated.
INSERT INTO organizations (org, name, nif, address, email, zone, default_vat, created_at)
VALUES (:org, :name, :nif, :address, :email, :zone, :default_vat, :now)
ON CONFLICT (org) DO NOTHING;

-- add_person --
-- Let a person act for an organization.
INSERT INTO people (org, person, role, locale)
VALUES (:org, :person, :role, :locale);

-- role --
-- Read what a person may be asked about; no row means a stranger.
SELECT role
  FROM people
 WHERE org = :org AND person = :person;

-- locale --
-- Read which language a person is answered in.
SELECT locale
  FROM people
 WHERE org = :org AND person = :person;

-- seat --
-- Read who acts for an organization, and its name: no row means a stranger.
SELECT p.role, p.locale, o.name, o.email, o.zone
  FROM people AS p
  JOIN organizations AS o ON o.org = p.org
 WHERE p.org = :org AND p.person = :person;

-- get --
-- Read a payment of this organization only; a removed one when it is wanted too.
SELECT org, payment, invoice, importe, fecha, medio, version, created_at, removed_at
  FROM payments
 WHERE org = :org AND payment = :payment AND (removed_at IS NULL OR :removed = 1);

-- of_invoice --
-- Read what was paid of an invoice, to tell a repeated payment from another one.
SELECT org, payment, invoice, importe, fecha, medio, version, created_at, removed_at
  FROM payments
 WHERE org = :org AND invoice = :invoice AND removed_at IS NULL
 ORDER BY created_at, payment;

-- add --
-- Write a payment down; what is outstanding is never stored, only added up.
INSERT INTO payments (org, payment, invoice, importe, fecha, medio, version, created_at)
VALUES (:org, :payment, :invoice, :importe, :fecha, :medio, 1, :now);

-- remove --
-- Take the very payment that was read out of the sum; the row is kept.
UPDATE payments
   SET removed_at = :now, version = version + 1
 WHERE org = :org AND payment = :payment AND version = :version AND removed_at IS NULL;

-- get --
-- Read an expense of this organization only; a deleted one when it is wanted too.
SELECT org, expense, concepto, proveedor, fecha, base, iva, vat, total, version, deleted_at
  FROM expenses
 WHERE org = :org AND expense = :expense AND (deleted_at IS NULL OR :deleted = 1);

-- hold --
-- Keep an expense as it is until the transaction ends.
-- Differs by necessity: others write beside it here, so the row is locked.
SELECT expense
  FROM expenses
 WHERE org = :org AND expense = :expense
   FOR NO KEY UPDATE;

-- add --
-- Write a new expense down.
INSERT INTO expenses
       (org, expense, concepto, proveedor, fecha, base, iva, vat, total, version, created_at)
VALUES (:org, :expense, :concepto, :proveedor, :fecha, :base, :iva, :vat, :total, 1, :now);

-- delete --
-- Take the very expense that was read out of the books; the row is kept, to bring it back.
UPDATE expenses
   SET deleted_at = :now, version = version + 1
 WHERE org = :org AND expense = :expense AND version = :version AND deleted_at IS NULL;

-- restore --
-- Bring an expense back as it was when it was deleted.
UPDATE expenses
   SET deleted_at = NULL, version = version + 1
 WHERE org = :org AND expense = :expense AND version = :version AND deleted_at IS NOT NULL;

-- all --
-- Read the expenses that are in the books, to compare words without accents in the program.
SELECT org, expense, concepto, proveedor, fecha, base, iva, vat, total, version, deleted_at
  FROM expenses
 WHERE org = :org AND deleted_at IS NULL
 ORDER BY fecha, expense;

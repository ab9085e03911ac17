-- get --
-- Read an expense of this organization only.
SELECT org, expense, concepto, proveedor, fecha, base, iva, vat, total, version
  FROM expenses
 WHERE org = :org AND expense = :expense;

-- add --
-- Write a new expense down.
INSERT INTO expenses
       (org, expense, concepto, proveedor, fecha, base, iva, vat, total, version, created_at)
VALUES (:org, :expense, :concepto, :proveedor, :fecha, :base, :iva, :vat, :total, 1, :now);

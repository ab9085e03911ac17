-- invoices --
-- Read what the list of invoices shows, newest first and drafts before all: a line of it each, with
-- the first concept, so that a long list is one statement.
SELECT invoice, contact, state, number, issue_date, due_date, total, paid_cents, customer_name,
       (SELECT concepto FROM invoice_lines AS l
         WHERE l.org = i.org AND l.invoice = i.invoice AND l.position = 1) AS concepto,
       (SELECT count(*) FROM invoice_lines AS l
         WHERE l.org = i.org AND l.invoice = i.invoice) AS lines
  FROM invoices_read AS i
 WHERE org = :org
 ORDER BY CASE WHEN state = 'draft' THEN 0 ELSE 1 END, issue_date DESC, series DESC, number DESC,
       created_at DESC, invoice
 LIMIT :limit;

-- issued --
-- Read what is needed to add up what is owed. It is added up in the program, since the total of one
-- invoice may be more than a database's whole numbers hold.
SELECT contact, due_date, total, paid_cents
  FROM invoices_read
 WHERE org = :org AND state = 'issued';

-- collected --
-- Add up what was paid from a day on.
SELECT CAST(coalesce(sum(CAST(replace(importe, '.', '') AS BIGINT)), 0) AS BIGINT) AS cents
  FROM payments
 WHERE org = :org AND removed_at IS NULL AND fecha >= :since;

-- spent --
-- Add up what was spent from a day on, VAT included.
SELECT CAST(coalesce(sum(CAST(replace(total, '.', '') AS BIGINT)), 0) AS BIGINT) AS cents
  FROM expenses
 WHERE org = :org AND deleted_at IS NULL AND fecha >= :since;

-- payments --
-- Read the payments with the invoice that each is of, newest first.
SELECT p.payment, p.importe, p.fecha, p.medio, i.number, i.customer_name
  FROM payments AS p
  JOIN invoices_read AS i ON i.org = p.org AND i.invoice = p.invoice
 WHERE p.org = :org AND p.removed_at IS NULL
 ORDER BY p.fecha DESC, p.created_at DESC, p.payment
 LIMIT :limit;

-- expenses --
-- Read the expenses, newest first.
SELECT org, expense, concepto, proveedor, fecha, base, iva, vat, total, version, deleted_at
  FROM expenses
 WHERE org = :org AND deleted_at IS NULL
 ORDER BY fecha DESC, created_at DESC, expense
 LIMIT :limit;

-- counts --
-- Count what there is of each, so that a list that is cut says how much it leaves out.
SELECT (SELECT count(*) FROM invoices WHERE org = :org) AS invoices,
       (SELECT count(*) FROM contacts WHERE org = :org AND archived_at IS NULL) AS contacts,
       (SELECT count(*) FROM expenses WHERE org = :org AND deleted_at IS NULL) AS expenses,
       (SELECT count(*) FROM payments WHERE org = :org AND removed_at IS NULL) AS payments;

-- next_number --
-- Read which number a series gives out next; without a row it has given out none.
SELECT next
  FROM invoice_series
 WHERE org = :org AND series = :series;

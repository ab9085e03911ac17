-- get --
-- Read an invoice with both sides: as the books know them while it is a draft, frozen afterwards.
SELECT *
  FROM invoices_read
 WHERE org = :org AND invoice = :invoice;

-- hold --
-- Keep an invoice as it is until the transaction ends, with its lines and what is paid of it: whoever
-- adds that up in order to decide holds the invoice first.
-- Differs by necessity: others write beside it here, so the row is locked.
SELECT invoice
  FROM invoices
 WHERE org = :org AND invoice = :invoice
   FOR NO KEY UPDATE;

-- numbered --
-- Find an issued invoice by the number that people use.
SELECT *
  FROM invoices_read
 WHERE org = :org AND number = :number;

-- alike --
-- Find what a new draft may be a repeat of: the same customer and total, made a short while ago.
SELECT *
  FROM invoices_read
 WHERE org = :org AND contact = :contact AND total = :total AND created_at >= :since
 ORDER BY created_at, invoice;

-- issued_to --
-- Read a contact's issued invoices, since a changed address reaches what is still to be sent.
SELECT *
  FROM invoices_read
 WHERE org = :org AND contact = :contact AND state = 'issued'
 ORDER BY number;

-- count_of_contact --
-- Count the invoices and drafts that point at a contact.
SELECT count(*) AS used
  FROM invoices
 WHERE org = :org AND contact = :contact;

-- lines --
-- Read the lines of an invoice in their order.
SELECT concepto, cantidad, precio, descuento, iva
  FROM invoice_lines
 WHERE org = :org AND invoice = :invoice
 ORDER BY position;

-- add --
-- Write a draft down; it has no number, and nobody's data is frozen yet.
INSERT INTO invoices (org, invoice, contact, state, version, due_date, base, vat, total, created_at)
VALUES (:org, :invoice, :contact, 'draft', 1, :due_date, :base, :vat, :total, :now);

-- add_line --
-- Write a line of a draft down, with its amount, so that the sum can be checked in the database.
INSERT INTO invoice_lines
       (org, invoice, position, concepto, cantidad, precio, descuento, iva, importe)
VALUES (:org, :invoice, :position, :concepto, :cantidad, :precio, :descuento, :iva, :importe);

-- delete_lines --
-- Take a draft's lines away before the draft; those of another version are left as they are.
DELETE FROM invoice_lines
 WHERE org = :org AND invoice = :invoice
   AND EXISTS (SELECT 1 FROM invoices
                WHERE org = :org AND invoice = :invoice
                  AND state = 'draft' AND version = :version);

-- delete_draft --
-- Throw the very draft away that was read; it never had a number, so no series misses it.
DELETE FROM invoices
 WHERE org = :org AND invoice = :invoice AND state = 'draft' AND version = :version;

-- open_series --
-- Make the counter of a series on its first use; a series that exists is left as it is.
INSERT INTO invoice_series (org, series, next, last_issue_date)
VALUES (:org, :series, 1, NULL)
ON CONFLICT (org, series) DO NOTHING;

-- take_number --
-- Take the next number: the UPDATE locks the row until the issue commits, so issuing is serial and
-- a rollback gives the number back. A date before the last one takes nothing and returns no row.
UPDATE invoice_series
   SET next = next + 1, last_issue_date = :issue_date
 WHERE org = :org AND series = :series
   AND (last_issue_date IS NULL OR last_issue_date <= :issue_date)
RETURNING next - 1 AS seq;

-- issue --
-- Turn the very draft that was read into an invoice, with both sides frozen as they are now.
UPDATE invoices
   SET state = 'issued', version = version + 1,
       series = :series, seq = :seq, number = :number, issue_date = :issue_date, issued_at = :now,
       issuer_name = :issuer_name, issuer_nif = :issuer_nif,
       issuer_address = :issuer_address, issuer_email = :issuer_email,
       customer_name = :customer_name, customer_nif = :customer_nif,
       customer_address = :customer_address, customer_email = :customer_email
 WHERE org = :org AND invoice = :invoice AND state = 'draft' AND version = :version;

-- invoices --
-- Read what the organization's newest invoices and drafts are found by, for an assistant that
-- looks something up.
SELECT invoice, number, state, customer_name
  FROM invoices_read
 WHERE org = :org
 ORDER BY created_at DESC, invoice DESC
 LIMIT coalesce(:limit, 0);

-- issued --
-- Read which invoices are issued, the one that is due first at the top, to see what is not paid yet.
SELECT invoice
  FROM invoices_read
 WHERE org = :org AND state = 'issued'
 ORDER BY due_date, number
 LIMIT coalesce(:limit, 0);

-- What is taken back is kept: a contact that is archived, an expense that is deleted and a payment
-- that is removed stay in their tables, with the instant at which they went, so that nothing that
-- an invoice or a report stands on disappears.

ALTER TABLE contacts ADD COLUMN archived_at TEXT
    CONSTRAINT archived_at_is_an_instant CHECK (
        archived_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z');

ALTER TABLE expenses ADD COLUMN deleted_at TEXT
    CONSTRAINT deleted_at_is_an_instant CHECK (
        deleted_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z');

CREATE TABLE payments (
    org        TEXT NOT NULL,
    payment    TEXT NOT NULL CHECK (payment <> ''),
    invoice    TEXT NOT NULL,
    importe    TEXT NOT NULL,
    fecha      TEXT NOT NULL CHECK (fecha IS date(fecha, '+0 days')),
    medio      TEXT CHECK (trim(medio) <> ''),
    version    INTEGER NOT NULL CHECK (version >= 1),
    created_at TEXT NOT NULL,
    removed_at TEXT,
    PRIMARY KEY (org, payment),
    FOREIGN KEY (org, invoice) REFERENCES invoices (org, invoice),
    CONSTRAINT importe_is_money CHECK (
        importe GLOB '*[0-9].[0-9][0-9]' AND importe NOT GLOB '*[^0-9.]*'
        AND importe NOT GLOB '*.*.*' AND importe NOT GLOB '0[0-9]*'),
    CONSTRAINT importe_is_more_than_nothing CHECK (importe <> '0.00'),
    CONSTRAINT a_removed_payment_has_changed CHECK (removed_at IS NULL OR version > 1),
    CONSTRAINT created_at_is_an_instant CHECK (
        created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z'),
    CONSTRAINT removed_at_is_an_instant CHECK (
        removed_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

CREATE INDEX payments_of_an_invoice ON payments (org, invoice);
CREATE INDEX invoices_of_a_contact ON invoices (org, contact);

CREATE TRIGGER payments_are_of_issued_invoices
BEFORE INSERT ON payments
WHEN NOT EXISTS (SELECT 1 FROM invoices
                  WHERE org = NEW.org AND invoice = NEW.invoice AND state = 'issued')
BEGIN SELECT RAISE(ABORT, 'only an issued invoice is paid'); END;

-- INSERT OR REPLACE would delete the payment without asking the trigger for DELETE.
CREATE TRIGGER payments_are_not_replaced
BEFORE INSERT ON payments
WHEN EXISTS (SELECT 1 FROM payments WHERE org = NEW.org AND payment = NEW.payment)
BEGIN SELECT RAISE(ABORT, 'a payment is never replaced'); END;

CREATE TRIGGER payments_keep_their_figures
BEFORE UPDATE OF org, payment, invoice, importe, fecha, medio, created_at ON payments
BEGIN SELECT RAISE(ABORT, 'a payment is removed and recorded anew, never changed'); END;

CREATE TRIGGER payments_removed_stay_removed
BEFORE UPDATE OF removed_at, version ON payments
WHEN OLD.removed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a removed payment stays removed'); END;

CREATE TRIGGER payments_are_kept
BEFORE DELETE ON payments
BEGIN SELECT RAISE(ABORT, 'a payment is never deleted'); END;

CREATE TRIGGER drafts_are_for_contacts_in_use
BEFORE INSERT ON invoices
WHEN EXISTS (SELECT 1 FROM contacts
              WHERE org = NEW.org AND contact = NEW.contact AND archived_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'an archived contact takes no new draft'); END;

CREATE TRIGGER drafts_stay_with_contacts_in_use
BEFORE UPDATE OF contact ON invoices
WHEN EXISTS (SELECT 1 FROM contacts
              WHERE org = NEW.org AND contact = NEW.contact AND archived_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'an archived contact takes no new draft'); END;

-- A draft is read with the books' present data, an issued invoice with what was frozen into it.
-- Where to send is neither: a message goes to the address that the contact has now. What was paid
-- is added up in cents, which are whole numbers.
DROP VIEW invoices_read;

CREATE VIEW invoices_read AS
SELECT i.org, i.invoice, i.contact, i.state, i.version, i.series, i.number,
       i.issue_date, i.due_date, i.base, i.vat, i.total, i.created_at,
       iif(i.state = 'draft', o.name, i.issuer_name) AS issuer_name,
       iif(i.state = 'draft', o.nif, i.issuer_nif) AS issuer_nif,
       iif(i.state = 'draft', o.address, i.issuer_address) AS issuer_address,
       iif(i.state = 'draft', o.email, i.issuer_email) AS issuer_email,
       iif(i.state = 'draft', c.name, i.customer_name) AS customer_name,
       iif(i.state = 'draft', c.nif, i.customer_nif) AS customer_nif,
       iif(i.state = 'draft', c.address, i.customer_address) AS customer_address,
       iif(i.state = 'draft', c.email, i.customer_email) AS customer_email,
       c.email AS contact_email,
       o.zone AS zone,
       (SELECT coalesce(sum(CAST(replace(p.importe, '.', '') AS INTEGER)), 0)
          FROM payments AS p
         WHERE p.org = i.org AND p.invoice = i.invoice AND p.removed_at IS NULL) AS paid_cents
  FROM invoices AS i
  JOIN organizations AS o ON o.org = i.org
  JOIN contacts AS c ON c.org = i.org AND c.contact = i.contact;

-- What is taken back is kept: a contact that is archived, an expense that is deleted and a payment
-- that is removed stay in their tables, with the instant at which they went, so that nothing that
-- an invoice or a report stands on disappears.

ALTER TABLE contacts ADD COLUMN archived_at TEXT COLLATE "C"
    CONSTRAINT archived_at_is_an_instant CHECK (books_is_instant(archived_at));

ALTER TABLE expenses ADD COLUMN deleted_at TEXT COLLATE "C"
    CONSTRAINT deleted_at_is_an_instant CHECK (books_is_instant(deleted_at));

CREATE TABLE payments (
    org        TEXT COLLATE "C" NOT NULL,
    payment    TEXT COLLATE "C" NOT NULL CHECK (payment <> ''),
    invoice    TEXT COLLATE "C" NOT NULL,
    importe    TEXT COLLATE "C" NOT NULL,
    fecha      TEXT COLLATE "C" NOT NULL CHECK (books_is_day(fecha)),
    medio      TEXT COLLATE "C" CHECK (trim(medio) <> ''),
    version    BIGINT NOT NULL CHECK (version >= 1),
    created_at TEXT COLLATE "C" NOT NULL,
    removed_at TEXT COLLATE "C",
    PRIMARY KEY (org, payment),
    FOREIGN KEY (org, invoice) REFERENCES invoices (org, invoice),
    CONSTRAINT importe_is_money CHECK (books_is_money(importe) AND importe NOT LIKE '-%'),
    CONSTRAINT importe_is_more_than_nothing CHECK (importe <> '0.00'),
    CONSTRAINT a_removed_payment_has_changed CHECK (removed_at IS NULL OR version > 1),
    CONSTRAINT created_at_is_an_instant CHECK (books_is_instant(created_at)),
    CONSTRAINT removed_at_is_an_instant CHECK (books_is_instant(removed_at))
);

CREATE INDEX payments_of_an_invoice ON payments (org, invoice);
CREATE INDEX invoices_of_a_contact ON invoices (org, contact);

-- An invoice that was issued stays issued, so it need not be held to be asked.
CREATE FUNCTION books_only_issued_are_paid() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM invoices
                    WHERE org = NEW.org AND invoice = NEW.invoice AND state = 'issued')
    THEN
        RAISE integrity_constraint_violation
        USING MESSAGE = 'only an issued invoice is paid',
              CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER payments_are_of_issued_invoices
BEFORE INSERT ON payments
FOR EACH ROW EXECUTE FUNCTION books_only_issued_are_paid();

-- SQLite has one more trigger here, against INSERT OR REPLACE, which PostgreSQL does not know.

CREATE TRIGGER payments_keep_their_figures
BEFORE UPDATE OF org, payment, invoice, importe, fecha, medio, created_at ON payments
FOR EACH ROW EXECUTE FUNCTION books_refuse('a payment is removed and recorded anew, never changed');

CREATE TRIGGER payments_removed_stay_removed
BEFORE UPDATE OF removed_at, version ON payments
FOR EACH ROW WHEN (OLD.removed_at IS NOT NULL)
EXECUTE FUNCTION books_refuse('a removed payment stays removed');

CREATE TRIGGER payments_are_kept
BEFORE DELETE ON payments
FOR EACH ROW EXECUTE FUNCTION books_refuse('a payment is never deleted');

-- The contact is held before it is asked: one that is being archived at this moment is waited for,
-- and one that is getting a draft cannot be archived meanwhile.
CREATE FUNCTION books_contacts_in_use() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    gone TEXT;
BEGIN
    SELECT archived_at INTO gone FROM contacts
     WHERE org = NEW.org AND contact = NEW.contact FOR NO KEY UPDATE;
    IF gone IS NOT NULL THEN
        RAISE integrity_constraint_violation
        USING MESSAGE = 'an archived contact takes no new draft',
              CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER drafts_are_for_contacts_in_use
BEFORE INSERT ON invoices
FOR EACH ROW EXECUTE FUNCTION books_contacts_in_use();

CREATE TRIGGER drafts_stay_with_contacts_in_use
BEFORE UPDATE OF contact ON invoices
FOR EACH ROW EXECUTE FUNCTION books_contacts_in_use();

-- A draft is read with the books' present data, an issued invoice with what was frozen into it.
-- Where to send is neither: a message goes to the address that the contact has now. What was paid
-- is added up in cents, which are whole numbers.
DROP VIEW invoices_read;

CREATE VIEW invoices_read AS
SELECT i.org, i.invoice, i.contact, i.state, i.version, i.series, i.number,
       i.issue_date, i.due_date, i.base, i.vat, i.total, i.created_at,
       CASE i.state WHEN 'draft' THEN o.name ELSE i.issuer_name END AS issuer_name,
       CASE i.state WHEN 'draft' THEN o.nif ELSE i.issuer_nif END AS issuer_nif,
       CASE i.state WHEN 'draft' THEN o.address ELSE i.issuer_address END AS issuer_address,
       CASE i.state WHEN 'draft' THEN o.email ELSE i.issuer_email END AS issuer_email,
       CASE i.state WHEN 'draft' THEN c.name ELSE i.customer_name END AS customer_name,
       CASE i.state WHEN 'draft' THEN c.nif ELSE i.customer_nif END AS customer_nif,
       CASE i.state WHEN 'draft' THEN c.address ELSE i.customer_address END AS customer_address,
       CASE i.state WHEN 'draft' THEN c.email ELSE i.customer_email END AS customer_email,
       c.email AS contact_email,
       o.zone AS zone,
       (SELECT coalesce(sum(books_cents(p.importe)), 0)::BIGINT
          FROM payments AS p
         WHERE p.org = i.org AND p.invoice = i.invoice AND p.removed_at IS NULL) AS paid_cents
  FROM invoices AS i
  JOIN organizations AS o ON o.org = i.org
  JOIN contacts AS c ON c.org = i.org AND c.contact = i.contact;

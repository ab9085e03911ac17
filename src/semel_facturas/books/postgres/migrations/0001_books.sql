-- Longer than 300 lines: the twin of SQLite's, read beside it; a trigger takes two statements.
-- The books. Money is TEXT in decimal and instants are TEXT in UTC, so nothing is ever a float; the
-- tables refuse every row that the program must never write, whoever writes it. Text is compared and
-- ordered by its bytes, whatever the database's locale, as the program does it.

-- What a text has to look like, once for all tables; an empty column is nobody's business here.
CREATE FUNCTION books_is_instant(value TEXT) RETURNS BOOLEAN
IMMUTABLE PARALLEL SAFE
RETURN value ~ ('^[0-9]{4}-[01][0-9]-[0-3][0-9]T'
                || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z$');

-- A day that the calendar has. A cast to DATE would fail with an error of its own where a row is to
-- be refused, so the months are spelt out: of 31 days, of 30, and February, longer in a leap year.
CREATE FUNCTION books_is_day(value TEXT) RETURNS BOOLEAN
IMMUTABLE PARALLEL SAFE
RETURN value ~ ('^[0-9]{4}-('
                || '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])'
                || '|(0[469]|11)-(0[1-9]|[12][0-9]|30)'
                || '|02-(0[1-9]|1[0-9]|2[0-8]))$')
       OR value ~ ('^([0-9]{2}(0[48]|[2468][048]|[13579][26])'
                   || '|([02468][048]|[13579][26])00)-02-29$');

CREATE FUNCTION books_is_percentage(value TEXT) RETURNS BOOLEAN
IMMUTABLE PARALLEL SAFE
RETURN value ~ '^(100|[1-9]?[0-9](\.[0-9]{1,2})?)$';

CREATE FUNCTION books_is_money(value TEXT) RETURNS BOOLEAN
IMMUTABLE PARALLEL SAFE
RETURN value ~ '^-?(0|[1-9][0-9]*)\.[0-9]{2}$' AND value <> '-0.00';

-- An amount in cents, which are whole numbers. What is no amount has none: the row is then refused
-- for its shape, by name, and not by a cast.
CREATE FUNCTION books_cents(value TEXT) RETURNS NUMERIC
IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN value ~ '^-?[0-9]+\.[0-9]{2}$' THEN replace(value, '.', '')::NUMERIC END;

CREATE FUNCTION books_number(series TEXT, seq BIGINT) RETURNS TEXT
IMMUTABLE PARALLEL SAFE
RETURN series || '-' || lpad(seq::TEXT, greatest(4, length(seq::TEXT)), '0');

-- Refuse a row with the sentence that the trigger gives.
CREATE FUNCTION books_refuse() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    RAISE integrity_constraint_violation
    USING MESSAGE = TG_ARGV[0], CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
END $$;

CREATE TABLE organizations (
    org         TEXT COLLATE "C" NOT NULL CHECK (org <> ''),
    name        TEXT COLLATE "C" NOT NULL CHECK (trim(name) <> ''),
    nif         TEXT COLLATE "C",
    address     TEXT COLLATE "C" CHECK (trim(address) <> ''),
    email       TEXT COLLATE "C" NOT NULL CHECK (email LIKE '_%@_%'),
    zone        TEXT COLLATE "C" NOT NULL CHECK (zone <> ''),
    default_vat TEXT COLLATE "C",
    created_at  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org),
    CONSTRAINT nif_is_normal CHECK (nif ~ '^[0-9A-Z]{9}$'),
    CONSTRAINT default_vat_is_a_percentage CHECK (books_is_percentage(default_vat)),
    CONSTRAINT created_at_is_an_instant CHECK (books_is_instant(created_at))
);

CREATE TABLE people (
    org    TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL CHECK (person <> ''),
    role   TEXT COLLATE "C" NOT NULL CHECK (role IN ('propietario', 'admin', 'gestor', 'asesor')),
    locale TEXT COLLATE "C" NOT NULL CHECK (locale IN ('es', 'en')),
    PRIMARY KEY (org, person),
    FOREIGN KEY (org) REFERENCES organizations (org)
);

CREATE TABLE contacts (
    org          TEXT COLLATE "C" NOT NULL,
    contact      TEXT COLLATE "C" NOT NULL CHECK (contact <> ''),
    name         TEXT COLLATE "C" NOT NULL CHECK (trim(name) <> ''),
    nif          TEXT COLLATE "C",
    address      TEXT COLLATE "C" CHECK (trim(address) <> ''),
    email        TEXT COLLATE "C" CHECK (email LIKE '_%@_%'),
    payment_days BIGINT CHECK (payment_days >= 0),
    version      BIGINT NOT NULL CHECK (version >= 1),
    created_at   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, contact),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT nif_is_normal CHECK (nif ~ '^[0-9A-Z]{9}$'),
    CONSTRAINT created_at_is_an_instant CHECK (books_is_instant(created_at))
);

-- The counter of a series, RD 1619/2012 art. 6.1.a: it only ever moves on by one.
CREATE TABLE invoice_series (
    org             TEXT COLLATE "C" NOT NULL,
    series          TEXT COLLATE "C" NOT NULL CHECK (series <> ''),
    next            BIGINT NOT NULL CHECK (next >= 1),
    last_issue_date TEXT COLLATE "C" CHECK (books_is_day(last_issue_date)),
    PRIMARY KEY (org, series),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT a_used_series_has_a_date CHECK ((next = 1) = (last_issue_date IS NULL))
);

CREATE TRIGGER series_begin_at_one
BEFORE INSERT ON invoice_series
FOR EACH ROW WHEN (NEW.next <> 1)
EXECUTE FUNCTION books_refuse('a series begins at one');

CREATE TRIGGER series_move_on_by_one
BEFORE UPDATE ON invoice_series
FOR EACH ROW WHEN (NEW.org <> OLD.org OR NEW.series <> OLD.series OR NEW.next <> OLD.next + 1
                   OR NEW.last_issue_date < OLD.last_issue_date)
EXECUTE FUNCTION books_refuse('a series moves on by one, in the order of its dates');

CREATE TRIGGER series_are_kept
BEFORE DELETE ON invoice_series
FOR EACH ROW EXECUTE FUNCTION books_refuse('a series is never deleted');

CREATE TABLE invoices (
    org              TEXT COLLATE "C" NOT NULL,
    invoice          TEXT COLLATE "C" NOT NULL CHECK (invoice <> ''),
    contact          TEXT COLLATE "C" NOT NULL,
    state            TEXT COLLATE "C" NOT NULL CHECK (state IN ('draft', 'issued')),
    version          BIGINT NOT NULL CHECK (version >= 1),
    series           TEXT COLLATE "C",
    seq              BIGINT CHECK (seq >= 1),
    number           TEXT COLLATE "C",
    issue_date       TEXT COLLATE "C" CHECK (books_is_day(issue_date)),
    due_date         TEXT COLLATE "C" NOT NULL CHECK (books_is_day(due_date)),
    base             TEXT COLLATE "C" NOT NULL,
    vat              TEXT COLLATE "C" NOT NULL,
    total            TEXT COLLATE "C" NOT NULL,
    created_at       TEXT COLLATE "C" NOT NULL,
    issued_at        TEXT COLLATE "C",
    issuer_name      TEXT COLLATE "C",
    issuer_nif       TEXT COLLATE "C",
    issuer_address   TEXT COLLATE "C",
    issuer_email     TEXT COLLATE "C",
    customer_name    TEXT COLLATE "C",
    customer_nif     TEXT COLLATE "C",
    customer_address TEXT COLLATE "C",
    customer_email   TEXT COLLATE "C",
    PRIMARY KEY (org, invoice),
    UNIQUE (org, series, number),
    FOREIGN KEY (org, contact) REFERENCES contacts (org, contact),
    FOREIGN KEY (org, series) REFERENCES invoice_series (org, series),
    CONSTRAINT an_issued_invoice_is_complete CHECK (state <> 'issued' OR (
        series IS NOT NULL AND seq IS NOT NULL AND number IS NOT NULL
        AND issue_date IS NOT NULL AND issued_at IS NOT NULL
        AND issuer_name IS NOT NULL AND issuer_nif IS NOT NULL
        AND issuer_address IS NOT NULL AND issuer_email IS NOT NULL
        AND customer_name IS NOT NULL AND customer_nif IS NOT NULL
        AND customer_address IS NOT NULL)),
    CONSTRAINT a_draft_has_nothing_of_an_issue CHECK (state <> 'draft' OR (
        series IS NULL AND seq IS NULL AND number IS NULL
        AND issue_date IS NULL AND issued_at IS NULL
        AND issuer_name IS NULL AND issuer_nif IS NULL
        AND issuer_address IS NULL AND issuer_email IS NULL
        AND customer_name IS NULL AND customer_nif IS NULL
        AND customer_address IS NULL AND customer_email IS NULL)),
    CONSTRAINT number_is_that_of_its_series CHECK (
        number IS NOT DISTINCT FROM books_number(series, seq)),
    CONSTRAINT an_invoice_is_not_due_before_its_issue CHECK (due_date >= issue_date),
    CONSTRAINT created_at_is_an_instant CHECK (books_is_instant(created_at)),
    CONSTRAINT issued_at_is_an_instant CHECK (books_is_instant(issued_at)),
    CONSTRAINT base_is_money CHECK (books_is_money(base)),
    CONSTRAINT vat_is_money CHECK (books_is_money(vat)),
    CONSTRAINT total_is_money CHECK (books_is_money(total)),
    CONSTRAINT totals_add_up CHECK (books_cents(total) = books_cents(base) + books_cents(vat))
);

CREATE TABLE invoice_lines (
    org       TEXT COLLATE "C" NOT NULL,
    invoice   TEXT COLLATE "C" NOT NULL,
    position  BIGINT NOT NULL CHECK (position >= 1),
    concepto  TEXT COLLATE "C" NOT NULL CHECK (trim(concepto) <> ''),
    cantidad  TEXT COLLATE "C" NOT NULL,
    precio    TEXT COLLATE "C" NOT NULL,
    descuento TEXT COLLATE "C" NOT NULL,
    iva       TEXT COLLATE "C" NOT NULL,
    importe   TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, invoice, position),
    FOREIGN KEY (org, invoice) REFERENCES invoices (org, invoice),
    CONSTRAINT cantidad_is_a_number CHECK (
        cantidad ~ '^-?([1-9][0-9]*(\.[0-9]{1,4})?|0\.[0-9]{1,4})$'),
    CONSTRAINT precio_is_a_number CHECK (
        precio ~ '^-?([1-9][0-9]*(\.[0-9]{1,6})?|0\.[0-9]{1,6})$'),
    CONSTRAINT descuento_is_a_percentage CHECK (books_is_percentage(descuento)),
    CONSTRAINT iva_is_a_percentage CHECK (books_is_percentage(iva)),
    CONSTRAINT importe_is_money CHECK (books_is_money(importe))
);

-- A draft is read with the books' present data, an issued invoice with what was frozen into it. An
-- e-mail address that was not known then may be learned later: it is where to send, not what.
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
       coalesce(i.customer_email, c.email) AS customer_email
  FROM invoices AS i
  JOIN organizations AS o ON o.org = i.org
  JOIN contacts AS c ON c.org = i.org AND c.contact = i.contact;

-- From here on: an invoice begins as a draft, is issued once and stands (RD 1619/2012 art. 15).

CREATE TRIGGER invoices_begin_as_drafts
BEFORE INSERT ON invoices
FOR EACH ROW WHEN (NEW.state <> 'draft')
EXECUTE FUNCTION books_refuse('an invoice begins as a draft');

-- SQLite has one more trigger here, against INSERT OR REPLACE, which PostgreSQL does not know.

CREATE FUNCTION books_issued_in_order() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq IS DISTINCT FROM (SELECT next - 1 FROM invoice_series
                                  WHERE org = NEW.org AND series = NEW.series)
       OR NEW.issue_date IS DISTINCT FROM (SELECT last_issue_date FROM invoice_series
                                            WHERE org = NEW.org AND series = NEW.series)
       OR EXISTS (SELECT 1 FROM invoices
                   WHERE org = NEW.org AND series = NEW.series AND number = NEW.number)
    THEN
        RAISE integrity_constraint_violation
        USING MESSAGE = 'an invoice takes the number its series has just given out',
              CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER invoices_are_issued_in_order
BEFORE UPDATE OF state ON invoices
FOR EACH ROW WHEN (NEW.state = 'issued' AND OLD.state = 'draft')
EXECUTE FUNCTION books_issued_in_order();

-- The update holds the invoice's row by now, and whoever writes a line holds it first, so the lines
-- that are added up here are the lines at the commit.
CREATE FUNCTION books_sum_of_lines() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
    IF books_cents(NEW.base) IS DISTINCT FROM (
        SELECT sum(books_cents(importe)) FROM invoice_lines
         WHERE org = NEW.org AND invoice = NEW.invoice)
    THEN
        RAISE integrity_constraint_violation
        USING MESSAGE = 'an invoice is the sum of its lines',
              CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER invoices_are_the_sum_of_their_lines
BEFORE UPDATE OF state ON invoices
FOR EACH ROW WHEN (NEW.state = 'issued' AND OLD.state = 'draft')
EXECUTE FUNCTION books_sum_of_lines();

CREATE TRIGGER invoices_issued_are_frozen
BEFORE UPDATE OF org, invoice, contact, state, version, series, seq, number, issue_date, due_date,
                 base, vat, total, created_at, issued_at,
                 issuer_name, issuer_nif, issuer_address, issuer_email,
                 customer_name, customer_nif, customer_address, customer_email
ON invoices
FOR EACH ROW WHEN (OLD.state = 'issued')
EXECUTE FUNCTION books_refuse('an issued invoice is never changed');

CREATE TRIGGER invoices_issued_are_kept
BEFORE DELETE ON invoices
FOR EACH ROW WHEN (OLD.state = 'issued')
EXECUTE FUNCTION books_refuse('an issued invoice is never deleted');

-- The invoice is held before its state is read: one that is being issued at this moment is waited
-- for, and one whose lines are being written cannot be issued meanwhile.
CREATE FUNCTION books_lines_of_drafts() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
    state_then TEXT;
    state_now TEXT;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        SELECT state INTO state_then FROM invoices
         WHERE org = OLD.org AND invoice = OLD.invoice FOR NO KEY UPDATE;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        SELECT state INTO state_now FROM invoices
         WHERE org = NEW.org AND invoice = NEW.invoice FOR NO KEY UPDATE;
    END IF;
    IF 'issued' IN (state_then, state_now) THEN
        RAISE integrity_constraint_violation
        USING MESSAGE = 'an issued invoice is never changed',
              CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;

CREATE TRIGGER lines_are_added_to_drafts
BEFORE INSERT ON invoice_lines
FOR EACH ROW EXECUTE FUNCTION books_lines_of_drafts();

CREATE TRIGGER lines_are_changed_in_drafts
BEFORE UPDATE ON invoice_lines
FOR EACH ROW EXECUTE FUNCTION books_lines_of_drafts();

CREATE TRIGGER lines_are_taken_from_drafts
BEFORE DELETE ON invoice_lines
FOR EACH ROW EXECUTE FUNCTION books_lines_of_drafts();

CREATE TABLE expenses (
    org        TEXT COLLATE "C" NOT NULL,
    expense    TEXT COLLATE "C" NOT NULL CHECK (expense <> ''),
    concepto   TEXT COLLATE "C" NOT NULL CHECK (trim(concepto) <> ''),
    proveedor  TEXT COLLATE "C" CHECK (trim(proveedor) <> ''),
    fecha      TEXT COLLATE "C" NOT NULL CHECK (books_is_day(fecha)),
    base       TEXT COLLATE "C" NOT NULL,
    iva        TEXT COLLATE "C" NOT NULL,
    vat        TEXT COLLATE "C" NOT NULL,
    total      TEXT COLLATE "C" NOT NULL,
    version    BIGINT NOT NULL CHECK (version >= 1),
    created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, expense),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT created_at_is_an_instant CHECK (books_is_instant(created_at)),
    CONSTRAINT base_is_money CHECK (books_is_money(base)),
    CONSTRAINT iva_is_a_percentage CHECK (books_is_percentage(iva)),
    CONSTRAINT vat_is_money CHECK (books_is_money(vat)),
    CONSTRAINT total_is_money CHECK (books_is_money(total)),
    CONSTRAINT totals_add_up CHECK (books_cents(total) = books_cents(base) + books_cents(vat))
);

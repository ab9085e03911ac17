-- The books. Money is TEXT in decimal and instants are TEXT in UTC, so nothing is ever a float; the
-- tables refuse every row that the program must never write, whoever writes it. A date is its own
-- date(…, '+0 days') only if the calendar has it: without the step SQLite lets 30 February pass.

CREATE TABLE organizations (
    org         TEXT NOT NULL CHECK (org <> ''),
    name        TEXT NOT NULL CHECK (trim(name) <> ''),
    nif         TEXT,
    address     TEXT CHECK (trim(address) <> ''),
    email       TEXT NOT NULL CHECK (email GLOB '?*@?*'),
    zone        TEXT NOT NULL CHECK (zone <> ''),
    default_vat TEXT,
    created_at  TEXT NOT NULL,
    PRIMARY KEY (org),
    CONSTRAINT nif_is_normal CHECK (length(nif) = 9 AND nif NOT GLOB '*[^0-9A-Z]*'),
    CONSTRAINT default_vat_is_a_percentage CHECK (
        default_vat = '100' OR default_vat GLOB '[0-9]' OR default_vat GLOB '[1-9][0-9]'
        OR default_vat GLOB '[0-9].[0-9]' OR default_vat GLOB '[0-9].[0-9][0-9]'
        OR default_vat GLOB '[1-9][0-9].[0-9]' OR default_vat GLOB '[1-9][0-9].[0-9][0-9]'),
    CONSTRAINT created_at_is_an_instant CHECK (
        created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
    org    TEXT NOT NULL,
    person TEXT NOT NULL CHECK (person <> ''),
    role   TEXT NOT NULL CHECK (role IN ('propietario', 'admin', 'gestor', 'asesor')),
    locale TEXT NOT NULL CHECK (locale IN ('es', 'en')),
    PRIMARY KEY (org, person),
    FOREIGN KEY (org) REFERENCES organizations (org)
) STRICT, WITHOUT ROWID;

CREATE TABLE contacts (
    org          TEXT NOT NULL,
    contact      TEXT NOT NULL CHECK (contact <> ''),
    name         TEXT NOT NULL CHECK (trim(name) <> ''),
    nif          TEXT,
    address      TEXT CHECK (trim(address) <> ''),
    email        TEXT CHECK (email GLOB '?*@?*'),
    payment_days INTEGER CHECK (payment_days >= 0),
    version      INTEGER NOT NULL CHECK (version >= 1),
    created_at   TEXT NOT NULL,
    PRIMARY KEY (org, contact),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT nif_is_normal CHECK (length(nif) = 9 AND nif NOT GLOB '*[^0-9A-Z]*'),
    CONSTRAINT created_at_is_an_instant CHECK (
        created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

-- The counter of a series, RD 1619/2012 art. 6.1.a: it only ever moves on by one.
CREATE TABLE invoice_series (
    org             TEXT NOT NULL,
    series          TEXT NOT NULL CHECK (series <> ''),
    next            INTEGER NOT NULL CHECK (next >= 1),
    last_issue_date TEXT CHECK (last_issue_date IS date(last_issue_date, '+0 days')),
    PRIMARY KEY (org, series),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT a_used_series_has_a_date CHECK ((next = 1) = (last_issue_date IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TRIGGER series_begin_at_one
BEFORE INSERT ON invoice_series
WHEN NEW.next <> 1
BEGIN SELECT RAISE(ABORT, 'a series begins at one'); END;

CREATE TRIGGER series_move_on_by_one
BEFORE UPDATE ON invoice_series
WHEN NEW.org <> OLD.org OR NEW.series <> OLD.series OR NEW.next <> OLD.next + 1
     OR NEW.last_issue_date < OLD.last_issue_date
BEGIN SELECT RAISE(ABORT, 'a series moves on by one, in the order of its dates'); END;

CREATE TRIGGER series_are_kept
BEFORE DELETE ON invoice_series
BEGIN SELECT RAISE(ABORT, 'a series is never deleted'); END;

CREATE TABLE invoices (
    org              TEXT NOT NULL,
    invoice          TEXT NOT NULL CHECK (invoice <> ''),
    contact          TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('draft', 'issued')),
    version          INTEGER NOT NULL CHECK (version >= 1),
    series           TEXT,
    seq              INTEGER CHECK (seq >= 1),
    number           TEXT,
    issue_date       TEXT CHECK (issue_date IS date(issue_date, '+0 days')),
    due_date         TEXT NOT NULL CHECK (due_date IS date(due_date, '+0 days')),
    base             TEXT NOT NULL,
    vat              TEXT NOT NULL,
    total            TEXT NOT NULL,
    created_at       TEXT NOT NULL,
    issued_at        TEXT,
    issuer_name      TEXT,
    issuer_nif       TEXT,
    issuer_address   TEXT,
    issuer_email     TEXT,
    customer_name    TEXT,
    customer_nif     TEXT,
    customer_address TEXT,
    customer_email   TEXT,
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
    CONSTRAINT number_is_that_of_its_series CHECK (number IS series || '-' || printf('%04d', seq)),
    CONSTRAINT an_invoice_is_not_due_before_its_issue CHECK (due_date >= issue_date),
    CONSTRAINT created_at_is_an_instant CHECK (
        created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z'),
    CONSTRAINT issued_at_is_an_instant CHECK (
        issued_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z'),
    CONSTRAINT base_is_money CHECK (
        base GLOB '*[0-9].[0-9][0-9]' AND base NOT GLOB '*[^0-9.-]*'
        AND base NOT GLOB '*.*.*' AND base NOT GLOB '?*-*'
        AND ltrim(base, '-') NOT GLOB '0[0-9]*' AND base <> '-0.00'),
    CONSTRAINT vat_is_money CHECK (
        vat GLOB '*[0-9].[0-9][0-9]' AND vat NOT GLOB '*[^0-9.-]*'
        AND vat NOT GLOB '*.*.*' AND vat NOT GLOB '?*-*'
        AND ltrim(vat, '-') NOT GLOB '0[0-9]*' AND vat <> '-0.00'),
    CONSTRAINT total_is_money CHECK (
        total GLOB '*[0-9].[0-9][0-9]' AND total NOT GLOB '*[^0-9.-]*'
        AND total NOT GLOB '*.*.*' AND total NOT GLOB '?*-*'
        AND ltrim(total, '-') NOT GLOB '0[0-9]*' AND total <> '-0.00'),
    CONSTRAINT totals_add_up CHECK (
        CAST(replace(total, '.', '') AS INTEGER)
        = CAST(replace(base, '.', '') AS INTEGER) + CAST(replace(vat, '.', '') AS INTEGER))
) STRICT, WITHOUT ROWID;

CREATE TABLE invoice_lines (
    org       TEXT NOT NULL,
    invoice   TEXT NOT NULL,
    position  INTEGER NOT NULL CHECK (position >= 1),
    concepto  TEXT NOT NULL CHECK (trim(concepto) <> ''),
    cantidad  TEXT NOT NULL,
    precio    TEXT NOT NULL,
    descuento TEXT NOT NULL,
    iva       TEXT NOT NULL,
    importe   TEXT NOT NULL,
    PRIMARY KEY (org, invoice, position),
    FOREIGN KEY (org, invoice) REFERENCES invoices (org, invoice),
    CONSTRAINT cantidad_is_a_number CHECK (
        (ltrim(cantidad, '-') GLOB '[1-9]*' OR ltrim(cantidad, '-') GLOB '0.*')
        AND cantidad GLOB '*[0-9]' AND cantidad NOT GLOB '*[^0-9.-]*' AND cantidad NOT GLOB '?*-*'
        AND cantidad NOT GLOB '*.*.*' AND cantidad NOT GLOB '*.?????*'),
    CONSTRAINT precio_is_a_number CHECK (
        (ltrim(precio, '-') GLOB '[1-9]*' OR ltrim(precio, '-') GLOB '0.*')
        AND precio GLOB '*[0-9]' AND precio NOT GLOB '*[^0-9.-]*' AND precio NOT GLOB '?*-*'
        AND precio NOT GLOB '*.*.*' AND precio NOT GLOB '*.???????*'),
    CONSTRAINT descuento_is_a_percentage CHECK (
        descuento = '100' OR descuento GLOB '[0-9]' OR descuento GLOB '[1-9][0-9]'
        OR descuento GLOB '[0-9].[0-9]' OR descuento GLOB '[0-9].[0-9][0-9]'
        OR descuento GLOB '[1-9][0-9].[0-9]' OR descuento GLOB '[1-9][0-9].[0-9][0-9]'),
    CONSTRAINT iva_is_a_percentage CHECK (
        iva = '100' OR iva GLOB '[0-9]' OR iva GLOB '[1-9][0-9]'
        OR iva GLOB '[0-9].[0-9]' OR iva GLOB '[0-9].[0-9][0-9]'
        OR iva GLOB '[1-9][0-9].[0-9]' OR iva GLOB '[1-9][0-9].[0-9][0-9]'),
    CONSTRAINT importe_is_money CHECK (
        importe GLOB '*[0-9].[0-9][0-9]' AND importe NOT GLOB '*[^0-9.-]*'
        AND importe NOT GLOB '*.*.*' AND importe NOT GLOB '?*-*'
        AND ltrim(importe, '-') NOT GLOB '0[0-9]*' AND importe <> '-0.00')
) STRICT, WITHOUT ROWID;

-- A draft is read with the books' present data, an issued invoice with what was frozen into it. An
-- e-mail address that was not known then may be learned later: it is where to send, not what.
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
       coalesce(i.customer_email, c.email) AS customer_email
  FROM invoices AS i
  JOIN organizations AS o ON o.org = i.org
  JOIN contacts AS c ON c.org = i.org AND c.contact = i.contact;

-- From here on: an invoice begins as a draft, is issued once and stands (RD 1619/2012 art. 15).

CREATE TRIGGER invoices_begin_as_drafts
BEFORE INSERT ON invoices
WHEN NEW.state <> 'draft'
BEGIN SELECT RAISE(ABORT, 'an invoice begins as a draft'); END;

-- INSERT OR REPLACE would delete the issued invoice without asking the trigger for DELETE.
CREATE TRIGGER invoices_issued_are_not_replaced
BEFORE INSERT ON invoices
WHEN EXISTS (SELECT 1 FROM invoices
              WHERE org = NEW.org AND invoice = NEW.invoice AND state = 'issued')
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never replaced'); END;

CREATE TRIGGER invoices_are_issued_in_order
BEFORE UPDATE OF state ON invoices
WHEN NEW.state = 'issued' AND OLD.state = 'draft'
     AND (NEW.seq IS NOT (SELECT next - 1 FROM invoice_series
                           WHERE org = NEW.org AND series = NEW.series)
          OR NEW.issue_date IS NOT (SELECT last_issue_date FROM invoice_series
                                     WHERE org = NEW.org AND series = NEW.series)
          OR EXISTS (SELECT 1 FROM invoices
                      WHERE org = NEW.org AND series = NEW.series AND number = NEW.number))
BEGIN SELECT RAISE(ABORT, 'an invoice takes the number its series has just given out'); END;

CREATE TRIGGER invoices_are_the_sum_of_their_lines
BEFORE UPDATE OF state ON invoices
WHEN NEW.state = 'issued' AND OLD.state = 'draft'
     AND CAST(replace(NEW.base, '.', '') AS INTEGER)
         IS NOT (SELECT sum(CAST(replace(importe, '.', '') AS INTEGER)) FROM invoice_lines
                  WHERE org = NEW.org AND invoice = NEW.invoice)
BEGIN SELECT RAISE(ABORT, 'an invoice is the sum of its lines'); END;

CREATE TRIGGER invoices_issued_are_frozen
BEFORE UPDATE OF org, invoice, contact, state, version, series, seq, number, issue_date, due_date,
                 base, vat, total, created_at, issued_at,
                 issuer_name, issuer_nif, issuer_address, issuer_email,
                 customer_name, customer_nif, customer_address, customer_email
ON invoices
WHEN OLD.state = 'issued'
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never changed'); END;

CREATE TRIGGER invoices_issued_are_kept
BEFORE DELETE ON invoices
WHEN OLD.state = 'issued'
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never deleted'); END;

CREATE TRIGGER lines_are_added_to_drafts
BEFORE INSERT ON invoice_lines
WHEN EXISTS (SELECT 1 FROM invoices
              WHERE org = NEW.org AND invoice = NEW.invoice AND state = 'issued')
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never changed'); END;

CREATE TRIGGER lines_are_changed_in_drafts
BEFORE UPDATE ON invoice_lines
WHEN EXISTS (SELECT 1 FROM invoices
              WHERE state = 'issued'
                AND (org, invoice) IN (VALUES (OLD.org, OLD.invoice), (NEW.org, NEW.invoice)))
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never changed'); END;

CREATE TRIGGER lines_are_taken_from_drafts
BEFORE DELETE ON invoice_lines
WHEN EXISTS (SELECT 1 FROM invoices
              WHERE org = OLD.org AND invoice = OLD.invoice AND state = 'issued')
BEGIN SELECT RAISE(ABORT, 'an issued invoice is never changed'); END;

CREATE TABLE expenses (
    org        TEXT NOT NULL,
    expense    TEXT NOT NULL CHECK (expense <> ''),
    concepto   TEXT NOT NULL CHECK (trim(concepto) <> ''),
    proveedor  TEXT CHECK (trim(proveedor) <> ''),
    fecha      TEXT NOT NULL CHECK (fecha IS date(fecha, '+0 days')),
    base       TEXT NOT NULL,
    iva        TEXT NOT NULL,
    vat        TEXT NOT NULL,
    total      TEXT NOT NULL,
    version    INTEGER NOT NULL CHECK (version >= 1),
    created_at TEXT NOT NULL,
    PRIMARY KEY (org, expense),
    FOREIGN KEY (org) REFERENCES organizations (org),
    CONSTRAINT created_at_is_an_instant CHECK (
        created_at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z'),
    CONSTRAINT base_is_money CHECK (
        base GLOB '*[0-9].[0-9][0-9]' AND base NOT GLOB '*[^0-9.-]*'
        AND base NOT GLOB '*.*.*' AND base NOT GLOB '?*-*'
        AND ltrim(base, '-') NOT GLOB '0[0-9]*' AND base <> '-0.00'),
    CONSTRAINT iva_is_a_percentage CHECK (
        iva = '100' OR iva GLOB '[0-9]' OR iva GLOB '[1-9][0-9]'
        OR iva GLOB '[0-9].[0-9]' OR iva GLOB '[0-9].[0-9][0-9]'
        OR iva GLOB '[1-9][0-9].[0-9]' OR iva GLOB '[1-9][0-9].[0-9][0-9]'),
    CONSTRAINT vat_is_money CHECK (
        vat GLOB '*[0-9].[0-9][0-9]' AND vat NOT GLOB '*[^0-9.-]*'
        AND vat NOT GLOB '*.*.*' AND vat NOT GLOB '?*-*'
        AND ltrim(vat, '-') NOT GLOB '0[0-9]*' AND vat <> '-0.00'),
    CONSTRAINT total_is_money CHECK (
        total GLOB '*[0-9].[0-9][0-9]' AND total NOT GLOB '*[^0-9.-]*'
        AND total NOT GLOB '*.*.*' AND total NOT GLOB '?*-*'
        AND ltrim(total, '-') NOT GLOB '0[0-9]*' AND total <> '-0.00'),
    CONSTRAINT totals_add_up CHECK (
        CAST(replace(total, '.', '') AS INTEGER)
        = CAST(replace(base, '.', '') AS INTEGER) + CAST(replace(vat, '.', '') AS INTEGER))
) STRICT, WITHOUT ROWID;

-- Notes with a version, a counter of folios, and a diary that only a trigger writes: what a rehearsal
-- takes back must leave none of them behind, the AUTOINCREMENT's own bookkeeping included.
CREATE TABLE notas (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    texto TEXT NOT NULL,
    importe TEXT NOT NULL,
    estado TEXT NOT NULL CHECK (estado IN ('borrador', 'firmada')),
    folio INTEGER,
    version INTEGER NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, folio)
) STRICT;

CREATE TABLE folios (org TEXT PRIMARY KEY, ultimo INTEGER NOT NULL) STRICT;

CREATE TABLE diario (n INTEGER PRIMARY KEY AUTOINCREMENT, linea TEXT NOT NULL) STRICT;

CREATE TRIGGER notas_al_diario AFTER INSERT ON notas BEGIN
    INSERT INTO diario (linea) VALUES (new.texto);
END;

-- What a person may not do; everything else they may.
CREATE TABLE negados (
    org TEXT NOT NULL,
    person TEXT NOT NULL,
    permission TEXT NOT NULL,
    PRIMARY KEY (org, person, permission)
) STRICT;

-- A guarantee belongs to a note, and the database looks only at the commit.
CREATE TABLE avales (
    org TEXT NOT NULL,
    nota TEXT NOT NULL,
    FOREIGN KEY (org, nota) REFERENCES notas (org, id) DEFERRABLE INITIALLY DEFERRED
) STRICT;

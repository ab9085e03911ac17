-- Notes with a version, a counter of folios, and a diary that only a trigger writes: what a rehearsal
-- takes back must leave none of them behind. Differs by necessity: a sequence is not taken back, so
-- that the diary's numbers may have gaps.
CREATE TABLE notas (
    org TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    texto TEXT COLLATE "C" NOT NULL,
    importe TEXT NOT NULL,
    estado TEXT NOT NULL CHECK (estado IN ('borrador', 'firmada')),
    folio BIGINT,
    version BIGINT NOT NULL,
    PRIMARY KEY (org, id),
    UNIQUE (org, folio)
);

CREATE TABLE folios (org TEXT COLLATE "C" PRIMARY KEY, ultimo BIGINT NOT NULL);

CREATE TABLE diario (n BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, linea TEXT COLLATE "C" NOT NULL);

CREATE FUNCTION al_diario() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO diario (linea) VALUES (new.texto);
    RETURN new;
END $$;

CREATE TRIGGER notas_al_diario AFTER INSERT ON notas FOR EACH ROW EXECUTE FUNCTION al_diario();

-- What a person may not do; everything else they may.
CREATE TABLE negados (
    org TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    permission TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, person, permission)
);

-- A guarantee belongs to a note, and the database looks only at the commit.
CREATE TABLE avales (
    org TEXT COLLATE "C" NOT NULL,
    nota TEXT COLLATE "C" NOT NULL,
    FOREIGN KEY (org, nota) REFERENCES notas (org, id) DEFERRABLE INITIALLY DEFERRED
);

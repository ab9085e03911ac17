-- Notes, for plans that mix effects.
CREATE TABLE notas (
    org TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL, signed INTEGER NOT NULL, version INTEGER NOT NULL,
    PRIMARY KEY (org, id)) STRICT;

-- Notes, for plans that mix effects.
CREATE TABLE notas (
    org TEXT COLLATE "C" NOT NULL, id TEXT COLLATE "C" NOT NULL, text TEXT COLLATE "C" NOT NULL, signed BIGINT NOT NULL, version BIGINT NOT NULL,
    PRIMARY KEY (org, id));

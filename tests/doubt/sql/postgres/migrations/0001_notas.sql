-- Notes, so that there is something to write, change, sign and take back.
CREATE TABLE notas (
    org TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    signed BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    gone BIGINT NOT NULL,
    PRIMARY KEY (org, id)
);

-- What nobody may do, by person and permission.
CREATE TABLE negados (
    org TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    permission TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, person, permission)
);

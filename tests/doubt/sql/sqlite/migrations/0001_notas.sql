-- Notes, so that there is something to write, change, sign and take back.
CREATE TABLE notas (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    signed INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    gone INTEGER NOT NULL,
    PRIMARY KEY (org, id)
) STRICT;

-- What nobody may do, by person and permission.
CREATE TABLE negados (
    org TEXT NOT NULL,
    person TEXT NOT NULL,
    permission TEXT NOT NULL,
    PRIMARY KEY (org, person, permission)
) STRICT;

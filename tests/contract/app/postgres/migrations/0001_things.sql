-- The application that the contract suite brings along: records with an id and a value.
CREATE TABLE things (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value TEXT COLLATE "C"
);

-- What calls did. A table that is there is used as it is, so that a test may doctor it before.
CREATE TABLE IF NOT EXISTS effects (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key TEXT NOT NULL, payload TEXT NOT NULL
);

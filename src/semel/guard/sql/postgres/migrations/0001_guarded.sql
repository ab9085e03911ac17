-- What is true of every call's row; a rule that comes to NULL refuses nothing. Differs by necessity: the server
-- reads the text of each CHECK anew for every statement that writes, and a function once a session.
CREATE OR REPLACE FUNCTION semel_guarded_can_be(
    org TEXT, key TEXT, id TEXT, tool TEXT, intent TEXT, session TEXT, message TEXT, request TEXT, state TEXT,
    epoch BIGINT, round BIGINT, result TEXT, ended_at TEXT, keep_until TEXT, stamp TEXT
) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN
    org <> ''
    AND length(key) = 64
    AND starts_with(id, 'c_')
    AND tool <> ''
    AND length(intent) = 64
    AND session <> ''
    AND message <> ''
    AND request <> ''
    AND state IN ('started', 'done', 'not_done', 'in_doubt')
    AND epoch >= 1
    AND round >= 1
    AND stamp <> ''
    AND ((state = 'done') = (result IS NOT NULL)) -- done_has_a_result
    AND ((state IN ('done', 'not_done')) = (ended_at IS NOT NULL)) -- ended_has_a_time
    AND ((ended_at IS NULL) = (keep_until IS NULL)) -- only_what_ended_has_a_window
; END $$;

-- One intent of a guarded tool, and what came of it.
CREATE TABLE semel_guarded (
    org TEXT NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    tool TEXT NOT NULL,
    intent TEXT NOT NULL,
    session TEXT NOT NULL,
    message TEXT,
    turn TEXT NOT NULL,
    request TEXT,
    shown TEXT NOT NULL,
    state TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    round BIGINT NOT NULL,
    sends TEXT NOT NULL,
    result TEXT,
    why TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    keep_until TEXT,
    resume_after TEXT NOT NULL,
    stamp TEXT NOT NULL,
    PRIMARY KEY (org, key),
    CONSTRAINT guarded_can_be CHECK (semel_guarded_can_be(
        org, key, id, tool, intent, session, message, request, state, epoch, round, result, ended_at, keep_until, stamp
    ))
);

-- Differs by necessity: as in the engine's tables, only keys begin with the organization.
CREATE UNIQUE INDEX semel_guarded_id ON semel_guarded (id, org);
CREATE INDEX semel_guarded_intent ON semel_guarded (intent, org) WHERE message IS NOT NULL;
CREATE INDEX semel_guarded_open ON semel_guarded (org) WHERE state IN ('started', 'in_doubt');

-- How often an intent was asked for, by what asked again.
CREATE TABLE semel_repeats (
    org TEXT NOT NULL CHECK (org <> ''),
    day TEXT NOT NULL CHECK (length(day) = 10),
    tool TEXT NOT NULL CHECK (tool <> ''),
    source TEXT NOT NULL CHECK (source IN ('first', 'parallel', 'loop', 'http_retry', 'restored', 'person')),
    mode TEXT NOT NULL CHECK (mode IN ('observed', 'guarded')),
    calls BIGINT NOT NULL CHECK (calls > 0),
    PRIMARY KEY (org, day, tool, source, mode)
);

-- One intent of a guarded tool, and what came of it. Words are compared one by one: SQLite makes a table of
-- an IN of more than two, for each statement.
CREATE TABLE semel_guarded (
    org TEXT NOT NULL CHECK (org <> ''),
    key TEXT NOT NULL CHECK (length(key) = 64),
    id TEXT NOT NULL CHECK (id GLOB 'c_*'),
    tool TEXT NOT NULL CHECK (tool <> ''),
    intent TEXT NOT NULL CHECK (length(intent) = 64),
    session TEXT NOT NULL CHECK (session <> ''),
    message TEXT CHECK (message <> ''),
    turn TEXT NOT NULL,
    request TEXT CHECK (request <> ''),
    shown TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'started' OR state = 'done' OR state = 'not_done'
        OR state = 'in_doubt'),
    epoch INTEGER NOT NULL CHECK (epoch >= 1),
    round INTEGER NOT NULL CHECK (round >= 1),
    sends TEXT NOT NULL,
    result TEXT,
    why TEXT,
    created_at TEXT NOT NULL,
    ended_at TEXT,
    keep_until TEXT,
    resume_after TEXT NOT NULL,
    stamp TEXT NOT NULL CHECK (stamp <> ''),
    PRIMARY KEY (org, key),
    CONSTRAINT done_has_a_result CHECK ((state = 'done') = (result IS NOT NULL)),
    CONSTRAINT ended_has_a_time CHECK ((state IN ('done', 'not_done')) = (ended_at IS NOT NULL)),
    CONSTRAINT only_what_ended_has_a_window CHECK ((ended_at IS NULL) = (keep_until IS NULL))
) STRICT;

CREATE UNIQUE INDEX semel_guarded_id ON semel_guarded (org, id);
CREATE INDEX semel_guarded_intent ON semel_guarded (org, intent) WHERE message IS NOT NULL;
CREATE INDEX semel_guarded_open ON semel_guarded (org) WHERE state IN ('started', 'in_doubt');

-- How often an intent was asked for, by what asked again.
CREATE TABLE semel_repeats (
    org TEXT NOT NULL CHECK (org <> ''),
    day TEXT NOT NULL CHECK (length(day) = 10),
    tool TEXT NOT NULL CHECK (tool <> ''),
    source TEXT NOT NULL CHECK (source = 'first' OR source = 'parallel' OR source = 'loop'
        OR source = 'http_retry' OR source = 'restored' OR source = 'person'),
    mode TEXT NOT NULL CHECK (mode IN ('observed', 'guarded')),
    calls INTEGER NOT NULL CHECK (calls > 0),
    PRIMARY KEY (org, day, tool, source, mode)
) STRICT;

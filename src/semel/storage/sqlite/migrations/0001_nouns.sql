-- Six nouns, an index, the values of single calls, and what the database knows of itself. The organization
-- comes first in every primary key but those of the last; the constraints refuse rows that cannot be.
-- Instants are UTC text with microseconds, so that text order is time order. Words are compared one by one:
-- SQLite makes a table of an IN of more than two, for each statement.

-- What this database knows of itself, in one row: its generation, which is one more each time it was put
-- back from an older copy, and where it was when it was last opened. An engine that finds it elsewhere has
-- a copy before it, and sends nothing until somebody has said so.
CREATE TABLE semel_database (
    id INTEGER NOT NULL CHECK (id = 1),
    generation INTEGER NOT NULL CHECK (generation >= 1),
    place TEXT,
    timeline INTEGER,
    timeline_since TEXT,
    fenced_at TEXT,
    fencing INTEGER NOT NULL CHECK (fencing BETWEEN 0 AND 1),
    PRIMARY KEY (id),
    CONSTRAINT fencing_has_a_time CHECK (fencing = 0 OR fenced_at IS NOT NULL)
) STRICT;

-- Who is gone for good, by somebody's word: what a host recorded before that counts as a dead sender's.
CREATE TABLE semel_gone (
    host TEXT NOT NULL CHECK (host <> ''),
    at TEXT NOT NULL,
    said_by TEXT NOT NULL CHECK (said_by <> ''),
    PRIMARY KEY (host, at)
) STRICT;

-- One row is the only owner of a plan: epoch (who may run it), at (the last step begun), resume_after
-- (when somebody else may take over). Every step start is one UPDATE of it.
CREATE TABLE semel_plans (
    org TEXT NOT NULL CHECK (org <> ''),
    plan TEXT NOT NULL CHECK (plan GLOB 'p_?*'),
    kind TEXT NOT NULL CHECK (kind = 'plan' OR kind = 'undo' OR kind = 'later'),
    parent TEXT,
    undone_by TEXT,
    person TEXT NOT NULL CHECK (person <> ''),
    conversation TEXT NOT NULL CHECK (conversation <> ''),
    message TEXT NOT NULL CHECK (message <> ''),
    sentence TEXT,
    locale TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state = 'asking' OR state = 'running' OR state = 'ended'),
    reason TEXT CHECK (reason = 'finished' OR reason = 'failed' OR reason = 'cancelled' OR reason = 'stale'
        OR reason = 'in_doubt' OR reason = 'expired' OR reason = 'superseded' OR reason = 'refused'),
    risk INTEGER NOT NULL CHECK (risk BETWEEN 0 AND 2),
    why TEXT,
    version INTEGER NOT NULL CHECK (version >= 1),
    epoch INTEGER NOT NULL CHECK (epoch >= 0),
    at INTEGER NOT NULL CHECK (at >= 0),
    round INTEGER NOT NULL CHECK (round >= 1),
    stall INTEGER NOT NULL CHECK (stall >= 0),
    owner TEXT,
    resume_after TEXT,
    cancelled_at TEXT,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    seal TEXT NOT NULL,
    kid TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    ended_at TEXT,
    look_after TEXT,
    not_before TEXT,
    not_after TEXT,
    unless TEXT,
    subject_kind TEXT,
    subject_id TEXT,
    head TEXT,
    PRIMARY KEY (org, plan),
    FOREIGN KEY (org, parent) REFERENCES semel_plans (org, plan),
    FOREIGN KEY (org, undone_by) REFERENCES semel_plans (org, plan) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT ended_has_a_reason CHECK ((state = 'ended') = (reason IS NOT NULL)),
    CONSTRAINT ended_has_a_time CHECK ((state = 'ended') = (ended_at IS NOT NULL)),
    CONSTRAINT running_has_a_time CHECK ((state = 'running') = (resume_after IS NOT NULL)),
    CONSTRAINT begun_has_an_owner CHECK ((owner IS NOT NULL) <= (state = 'running')),
    CONSTRAINT running_has_an_owner CHECK (state <> 'running' OR owner IS NOT NULL OR (kind = 'later' AND at = 0)),
    CONSTRAINT only_a_plan_has_no_parent CHECK ((kind = 'plan') = (parent IS NULL)),
    CONSTRAINT only_later_has_a_date CHECK ((kind = 'later') = (not_before IS NOT NULL)),
    CONSTRAINT only_an_ended_plan_is_undone CHECK (undone_by IS NULL OR state = 'ended'),
    CONSTRAINT only_a_doubt_is_looked_after CHECK (look_after IS NULL OR (state = 'ended' AND reason = 'in_doubt')),
    CONSTRAINT asking_expires CHECK (state <> 'asking' OR expires_at IS NOT NULL),
    CONSTRAINT asking_has_not_begun CHECK (state <> 'asking' OR at = 0)
) STRICT;

-- One pending question per person and conversation: a bare yes can only mean one thing.
CREATE UNIQUE INDEX semel_one_pending ON semel_plans (org, person, conversation) WHERE state = 'asking';
-- What runs in a conversation is found whatever has ended in it before.
CREATE INDEX semel_running_in ON semel_plans (org, person, conversation) WHERE state = 'running';
-- A plan's number is one in the whole database, so an operator can look it up without its organization.
CREATE UNIQUE INDEX semel_plan_number ON semel_plans (plan);
CREATE INDEX semel_due ON semel_plans (resume_after) WHERE state = 'running';
CREATE INDEX semel_unanswered ON semel_plans (expires_at) WHERE state = 'asking';
CREATE INDEX semel_doubts ON semel_plans (look_after) WHERE look_after IS NOT NULL;
-- An operator is shown every doubt of an organization, however old it is.
CREATE INDEX semel_in_doubt ON semel_plans (org) WHERE reason = 'in_doubt';
CREATE INDEX semel_children ON semel_plans (org, parent) WHERE parent IS NOT NULL;
CREATE INDEX semel_waiting_about ON semel_plans (org, subject_kind, subject_id)
 WHERE kind = 'later' AND state = 'running';
CREATE INDEX semel_of_message ON semel_plans (org, person, conversation, message);

CREATE TABLE semel_steps (
    org TEXT NOT NULL,
    plan TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position BETWEEN 1 AND 10),
    action TEXT NOT NULL,
    action_version INTEGER NOT NULL,
    effect TEXT NOT NULL CHECK (effect = 'local' OR effect = 'keyed' OR effect = 'checked'
        OR effect = 'checked_void' OR effect = 'opaque'),
    input TEXT NOT NULL,
    preview TEXT NOT NULL,
    facts_digest TEXT NOT NULL CHECK (length(facts_digest) = 64),
    risk INTEGER NOT NULL CHECK (risk BETWEEN 0 AND 2),
    state TEXT NOT NULL CHECK (state = 'waiting' OR state = 'started' OR state = 'done'
        OR state = 'not_done' OR state = 'in_doubt'),
    reason TEXT CHECK (reason = 'refused' OR reason = 'failed' OR reason = 'stale' OR reason = 'cancelled'
        OR reason = 'forbidden' OR reason = 'not_reached' OR reason = 'crashed'
        OR reason = 'unknown_reference'),
    detail TEXT,
    result TEXT,
    later TEXT,
    similar TEXT,
    changed TEXT,
    round INTEGER NOT NULL CHECK (round >= 1),
    resolution TEXT CHECK (resolution = 'happened' OR resolution = 'did_not' OR resolution = 'send_anyway'),
    resolved_by TEXT,
    started_at TEXT,
    ended_at TEXT,
    PRIMARY KEY (org, plan, position),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan),
    CONSTRAINT not_done_has_a_reason CHECK ((state = 'not_done') = (reason IS NOT NULL)),
    CONSTRAINT done_has_a_result CHECK (state <> 'done' OR result IS NOT NULL),
    CONSTRAINT an_answer_is_somebodys CHECK ((resolution IS NULL) = (resolved_by IS NULL)),
    CONSTRAINT local_is_never_between CHECK (effect <> 'local' OR state NOT IN ('started', 'in_doubt'))
) STRICT;

-- One row per send of an outside step, or run of a Local one. An open row means: its end is unknown.
CREATE TABLE semel_attempts (
    org TEXT NOT NULL,
    plan TEXT NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    round INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    key TEXT NOT NULL,
    sent_by TEXT NOT NULL,
    opened_at TEXT NOT NULL,
    deadline_at TEXT,
    settles_at TEXT,
    request_digest TEXT NOT NULL,
    outcome TEXT CHECK (outcome = 'made' OR outcome = 'refused' OR outcome = 'void' OR outcome = 'absent'
        OR outcome = 'unknown'),
    detail TEXT,
    returned_at TEXT,
    PRIMARY KEY (org, plan, position, id),
    FOREIGN KEY (org, plan, position) REFERENCES semel_steps (org, plan, position)
) STRICT;

CREATE TABLE semel_confirmations (
    org TEXT NOT NULL,
    id TEXT NOT NULL,
    token_hash TEXT NOT NULL CHECK (length(token_hash) = 64),
    nonce BLOB NOT NULL CHECK (length(nonce) = 24),
    kid TEXT NOT NULL,
    question TEXT NOT NULL CHECK (question = 'confirm' OR question = 'retry' OR question = 'undo'),
    plan TEXT NOT NULL,
    version INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    person TEXT NOT NULL,
    conversation TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    mac TEXT NOT NULL,
    created_at TEXT NOT NULL,
    used_at TEXT,
    press TEXT,
    revoked_at TEXT,
    PRIMARY KEY (org, id),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan),
    CONSTRAINT used_or_revoked CHECK (used_at IS NULL OR revoked_at IS NULL)
) STRICT;

CREATE UNIQUE INDEX semel_token ON semel_confirmations (org, token_hash);
CREATE INDEX semel_questions_of_plan ON semel_confirmations (org, plan);

-- A key is a pointer to a plan; it holds no result.
CREATE TABLE semel_keys (
    org TEXT NOT NULL,
    key TEXT NOT NULL CHECK (length(key) = 64),
    layer TEXT NOT NULL,
    plan TEXT NOT NULL,
    PRIMARY KEY (org, key),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan) DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX semel_keys_of_plan ON semel_keys (org, plan);

-- What happened to a plan, in order, each event chained to the one before it by its digest. The body
-- can be blanked when a person asks to be forgotten; the chain stays whole, over the body's digest. What
-- it left in the plan's rows is told by values and digests; where the chain ends is signed as the plan's head.
CREATE TABLE semel_events (
    org TEXT NOT NULL,
    plan TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    position INTEGER,
    body TEXT,
    body_digest TEXT NOT NULL,
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    told TEXT,
    PRIMARY KEY (org, plan, seq),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan)
) STRICT;

-- From any record back to the plan that made or touched it.
CREATE TABLE semel_effects (
    org TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    plan TEXT NOT NULL,
    position INTEGER NOT NULL,
    version TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (org, kind, id, plan, position),
    FOREIGN KEY (org, plan, position) REFERENCES semel_steps (org, plan, position)
) STRICT;

CREATE INDEX semel_effects_labelled ON semel_effects (org, kind, label);
CREATE INDEX semel_effects_of_plan ON semel_effects (org, plan, kind, id);

-- What engine.once came to. A row is written with its value, in the transaction that made it: none is
-- without a value, and none is ever changed.
CREATE TABLE semel_calls (
    org TEXT NOT NULL CHECK (org <> ''),
    key TEXT NOT NULL CHECK (length(key) BETWEEN 1 AND 512),
    result TEXT NOT NULL CHECK (result <> ''),
    created_at TEXT NOT NULL,
    PRIMARY KEY (org, key)
) STRICT;

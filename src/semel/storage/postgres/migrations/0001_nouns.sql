-- Six nouns, an index, the values of single calls, and what the database knows of itself. The organization
-- comes first in every primary key but those of the last; the constraints refuse rows that cannot be.
-- Instants are UTC text with microseconds, so that text order is time order: that of bytes, whatever language
-- the database was made for.

-- What this database knows of itself, in one row: its generation, which is one more each time it was put
-- back from an older copy, and where it was when it was last opened. An engine that finds it elsewhere has
-- a copy before it, and sends nothing until somebody has said so.
CREATE TABLE semel_database (
    id BIGINT NOT NULL CHECK (id = 1),
    generation BIGINT NOT NULL CHECK (generation >= 1),
    place TEXT COLLATE "C",
    timeline BIGINT,
    timeline_since TEXT COLLATE "C",
    fenced_at TEXT COLLATE "C",
    fencing BIGINT NOT NULL CHECK (fencing BETWEEN 0 AND 1),
    PRIMARY KEY (id),
    CONSTRAINT fencing_has_a_time CHECK (fencing = 0 OR fenced_at IS NOT NULL)
);

-- Who is gone for good, by somebody's word: what a host recorded before that counts as a dead sender's.
CREATE TABLE semel_gone (
    host TEXT COLLATE "C" NOT NULL CHECK (host <> ''),
    at TEXT COLLATE "C" NOT NULL,
    said_by TEXT COLLATE "C" NOT NULL CHECK (said_by <> ''),
    PRIMARY KEY (host, at)
);

-- What is true of every plan's row; a rule that comes to NULL refuses nothing. Differs by necessity: the server
-- reads the text of each CHECK anew for every statement that writes, and these would cost it six times what the
-- row does; a function is read once a session.
CREATE OR REPLACE FUNCTION semel_plan_can_be(
    org TEXT, plan TEXT, kind TEXT, parent TEXT, undone_by TEXT, person TEXT, conversation TEXT, message TEXT,
    state TEXT, reason TEXT, risk BIGINT, version BIGINT, epoch BIGINT, at BIGINT, round BIGINT, stall BIGINT,
    owner TEXT, resume_after TEXT, digest TEXT, expires_at TEXT, ended_at TEXT, look_after TEXT, not_before TEXT
) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN
    org <> ''
    AND plan LIKE 'p\_%' AND length(plan) > 2
    AND kind IN ('plan', 'undo', 'later')
    AND person <> ''
    AND conversation <> ''
    AND message <> ''
    AND state IN ('asking', 'running', 'ended')
    AND reason IN ('finished', 'failed', 'cancelled', 'stale', 'in_doubt', 'expired', 'superseded', 'refused')
    AND risk BETWEEN 0 AND 2
    AND version >= 1
    AND epoch >= 0
    AND at >= 0
    AND round >= 1
    AND stall >= 0
    AND length(digest) = 64
    AND ((state = 'ended') = (reason IS NOT NULL)) -- ended_has_a_reason
    AND ((state = 'ended') = (ended_at IS NOT NULL)) -- ended_has_a_time
    AND ((state = 'running') = (resume_after IS NOT NULL)) -- running_has_a_time
    AND ((owner IS NOT NULL) <= (state = 'running')) -- begun_has_an_owner
    AND (state <> 'running' OR owner IS NOT NULL OR (kind = 'later' AND at = 0)) -- running_has_an_owner
    AND ((kind = 'plan') = (parent IS NULL)) -- only_a_plan_has_no_parent
    AND ((kind = 'later') = (not_before IS NOT NULL)) -- only_later_has_a_date
    AND (undone_by IS NULL OR state = 'ended') -- only_an_ended_plan_is_undone
    AND (look_after IS NULL OR (state = 'ended' AND reason = 'in_doubt')) -- only_a_doubt_is_looked_after
    AND (state <> 'asking' OR expires_at IS NOT NULL) -- asking_expires
    AND (state <> 'asking' OR at = 0) -- asking_has_not_begun
; END $$;

-- One row is the only owner of a plan: epoch (who may run it), at (the last step begun), resume_after
-- (when somebody else may take over). Every step start is one UPDATE of it.
CREATE TABLE semel_plans (
    org TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    parent TEXT COLLATE "C",
    undone_by TEXT COLLATE "C",
    person TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    sentence TEXT COLLATE "C",
    locale TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    risk BIGINT NOT NULL,
    why TEXT COLLATE "C",
    version BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    at BIGINT NOT NULL,
    round BIGINT NOT NULL,
    stall BIGINT NOT NULL,
    owner TEXT COLLATE "C",
    resume_after TEXT COLLATE "C",
    cancelled_at TEXT COLLATE "C",
    digest TEXT COLLATE "C" NOT NULL,
    seal TEXT COLLATE "C" NOT NULL,
    kid TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C",
    ended_at TEXT COLLATE "C",
    look_after TEXT COLLATE "C",
    not_before TEXT COLLATE "C",
    not_after TEXT COLLATE "C",
    unless TEXT COLLATE "C",
    subject_kind TEXT COLLATE "C",
    subject_id TEXT COLLATE "C",
    head TEXT COLLATE "C",
    PRIMARY KEY (org, plan),
    FOREIGN KEY (org, parent) REFERENCES semel_plans (org, plan),
    FOREIGN KEY (org, undone_by) REFERENCES semel_plans (org, plan) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT plan_can_be CHECK (semel_plan_can_be(
        org, plan, kind, parent, undone_by, person, conversation, message, state, reason, risk, version, epoch,
        at, round, stall, owner, resume_after, digest, expires_at, ended_at, look_after, not_before
    ))
);

-- Differs by necessity, here and below: while a table has no statistics, the server looks a row up by any index
-- that begins with its organization, and reads all that the organization has. So only keys begin with it.

-- One pending question per person and conversation: a bare yes can only mean one thing.
CREATE UNIQUE INDEX semel_one_pending ON semel_plans (conversation, person, org) WHERE state = 'asking';
-- What runs in a conversation is found whatever has ended in it before.
CREATE INDEX semel_running_in ON semel_plans (conversation, person, org) WHERE state = 'running';
-- A plan's number is one in the whole database, so an operator can look it up without its organization.
CREATE UNIQUE INDEX semel_plan_number ON semel_plans (plan);
CREATE INDEX semel_due ON semel_plans (resume_after) WHERE state = 'running';
CREATE INDEX semel_unanswered ON semel_plans (expires_at) WHERE state = 'asking';
CREATE INDEX semel_doubts ON semel_plans (look_after) WHERE look_after IS NOT NULL;
-- An operator is shown every doubt of an organization, however old it is.
CREATE INDEX semel_in_doubt ON semel_plans (org) WHERE reason = 'in_doubt';
CREATE INDEX semel_children ON semel_plans (parent, org) WHERE parent IS NOT NULL;
CREATE INDEX semel_waiting_about ON semel_plans (subject_id, subject_kind, org)
 WHERE kind = 'later' AND state = 'running';
CREATE INDEX semel_of_message ON semel_plans (conversation, person, org, message);

-- What is true of every step's row, in the same way.
CREATE OR REPLACE FUNCTION semel_step_can_be(
    "position" BIGINT, effect TEXT, facts_digest TEXT, risk BIGINT, state TEXT, reason TEXT, result TEXT,
    round BIGINT, resolution TEXT, resolved_by TEXT
) RETURNS BOOLEAN LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN
    position BETWEEN 1 AND 10
    AND effect IN ('local', 'keyed', 'checked', 'checked_void', 'opaque')
    AND length(facts_digest) = 64
    AND risk BETWEEN 0 AND 2
    AND state IN ('waiting', 'started', 'done', 'not_done', 'in_doubt')
    AND reason IN ('refused', 'failed', 'stale', 'cancelled', 'forbidden', 'not_reached',
        'crashed', 'unknown_reference')
    AND round >= 1
    AND resolution IN ('happened', 'did_not', 'send_anyway')
    AND ((state = 'not_done') = (reason IS NOT NULL)) -- not_done_has_a_reason
    AND (state <> 'done' OR result IS NOT NULL) -- done_has_a_result
    AND ((resolution IS NULL) = (resolved_by IS NULL)) -- an_answer_is_somebodys
    AND (effect <> 'local' OR state NOT IN ('started', 'in_doubt')) -- local_is_never_between
; END $$;

CREATE TABLE semel_steps (
    org TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    action TEXT COLLATE "C" NOT NULL,
    action_version BIGINT NOT NULL,
    effect TEXT COLLATE "C" NOT NULL,
    input TEXT COLLATE "C" NOT NULL,
    preview TEXT COLLATE "C" NOT NULL,
    facts_digest TEXT COLLATE "C" NOT NULL,
    risk BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C",
    detail TEXT COLLATE "C",
    result TEXT COLLATE "C",
    later TEXT COLLATE "C",
    "similar" TEXT COLLATE "C",
    changed TEXT COLLATE "C",
    round BIGINT NOT NULL,
    resolution TEXT COLLATE "C",
    resolved_by TEXT COLLATE "C",
    started_at TEXT COLLATE "C",
    ended_at TEXT COLLATE "C",
    PRIMARY KEY (org, plan, position),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan),
    CONSTRAINT step_can_be CHECK (semel_step_can_be(
        position, effect, facts_digest, risk, state, reason, result, round, resolution, resolved_by
    ))
);

-- One row per send of an outside step, or run of a Local one. An open row means: its end is unknown.
CREATE TABLE semel_attempts (
    org TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    round BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    sent_by TEXT COLLATE "C" NOT NULL,
    opened_at TEXT COLLATE "C" NOT NULL,
    deadline_at TEXT COLLATE "C",
    settles_at TEXT COLLATE "C",
    request_digest TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C" CHECK (outcome IN ('made', 'refused', 'void', 'absent', 'unknown')),
    detail TEXT COLLATE "C",
    returned_at TEXT COLLATE "C",
    PRIMARY KEY (org, plan, position, id),
    FOREIGN KEY (org, plan, position) REFERENCES semel_steps (org, plan, position)
);

CREATE TABLE semel_confirmations (
    org TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    token_hash TEXT COLLATE "C" NOT NULL CHECK (length(token_hash) = 64),
    nonce BYTEA NOT NULL CHECK (octet_length(nonce) = 24),
    kid TEXT COLLATE "C" NOT NULL,
    question TEXT COLLATE "C" NOT NULL CHECK (question IN ('confirm', 'retry', 'undo')),
    plan TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    epoch BIGINT NOT NULL,
    digest TEXT COLLATE "C" NOT NULL CHECK (length(digest) = 64),
    person TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL,
    expires_at TEXT COLLATE "C" NOT NULL,
    mac TEXT COLLATE "C" NOT NULL,
    created_at TEXT COLLATE "C" NOT NULL,
    used_at TEXT COLLATE "C",
    press TEXT COLLATE "C",
    revoked_at TEXT COLLATE "C",
    PRIMARY KEY (org, id),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan),
    CONSTRAINT used_or_revoked CHECK (used_at IS NULL OR revoked_at IS NULL)
);

CREATE UNIQUE INDEX semel_token ON semel_confirmations (token_hash, org);
CREATE INDEX semel_questions_of_plan ON semel_confirmations (plan, org);

-- A key is a pointer to a plan; it holds no result.
CREATE TABLE semel_keys (
    org TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL CHECK (length(key) = 64),
    layer TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, key),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan) DEFERRABLE INITIALLY DEFERRED
);

CREATE INDEX semel_keys_of_plan ON semel_keys (plan, org);

-- What happened to a plan, in order, each event chained to the one before it by its digest. The body
-- can be blanked when a person asks to be forgotten; the chain stays whole, over the body's digest. What
-- it left in the plan's rows is told by values and digests; where the chain ends is signed as the plan's head.
CREATE TABLE semel_events (
    org TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL CHECK (seq >= 1),
    at TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    position BIGINT,
    body TEXT COLLATE "C",
    body_digest TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL CHECK (length(digest) = 64),
    told TEXT COLLATE "C",
    PRIMARY KEY (org, plan, seq),
    FOREIGN KEY (org, plan) REFERENCES semel_plans (org, plan)
);

-- From any record back to the plan that made or touched it.
CREATE TABLE semel_effects (
    org TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    plan TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    label TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, kind, id, plan, position),
    FOREIGN KEY (org, plan, position) REFERENCES semel_steps (org, plan, position)
);

CREATE INDEX semel_effects_labelled ON semel_effects (label, kind, org);
CREATE INDEX semel_effects_of_plan ON semel_effects (plan, org, kind, id);

-- What engine.once came to. A row is written with its value, in the transaction that made it: none is
-- without a value, and none is ever changed.
CREATE TABLE semel_calls (
    org TEXT COLLATE "C" NOT NULL CHECK (org <> ''),
    key TEXT COLLATE "C" NOT NULL CHECK (length(key) BETWEEN 1 AND 512),
    result TEXT COLLATE "C" NOT NULL CHECK (result <> ''),
    created_at TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, key)
);

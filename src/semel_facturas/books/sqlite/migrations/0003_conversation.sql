-- What people and the assistant said to each other. Every line has a place in its conversation; of a
-- proposal that came to no plan it is what is missing, in the form of semel.channels.cards.keep. A
-- conversation has at most one message that is being answered, by one process until an instant, so
-- that no process has to remember anything and a dead one blocks nobody for long.

CREATE TABLE conversations (
    org          TEXT NOT NULL,
    person       TEXT NOT NULL,
    conversation TEXT NOT NULL CHECK (conversation <> ''),
    last         INTEGER NOT NULL CHECK (last >= 0),
    answering    TEXT,
    owner        TEXT,
    until        TEXT,
    draft        TEXT NOT NULL,
    PRIMARY KEY (org, person, conversation),
    FOREIGN KEY (org, person) REFERENCES people (org, person),
    CONSTRAINT a_claim_is_whole CHECK (
        (answering IS NULL) = (owner IS NULL) AND (answering IS NULL) = (until IS NULL)),
    CONSTRAINT until_is_an_instant CHECK (
        until GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    org          TEXT NOT NULL,
    person       TEXT NOT NULL,
    message      TEXT NOT NULL CHECK (message <> ''),
    conversation TEXT NOT NULL,
    position     INTEGER NOT NULL CHECK (position >= 1),
    at           TEXT NOT NULL,
    role         TEXT NOT NULL CHECK (
        role IN ('person', 'assistant', 'plan', 'invalid')),
    text         TEXT NOT NULL,
    plan         TEXT,
    answers      TEXT,
    state        TEXT CHECK (state IN ('waiting', 'heard', 'planning', 'answered', 'lost')),
    tries        INTEGER NOT NULL CHECK (tries >= 0),
    turn         TEXT,
    PRIMARY KEY (org, person, message),
    UNIQUE (org, person, conversation, position),
    FOREIGN KEY (org, person, conversation)
        REFERENCES conversations (org, person, conversation),
    FOREIGN KEY (org, person, answers) REFERENCES messages (org, person, message),
    CONSTRAINT a_person_is_answered CHECK (
        (role = 'person') = (state IS NOT NULL) AND (role = 'person') = (answers IS NULL)),
    CONSTRAINT a_plan_is_a_plan CHECK ((role = 'plan') = (plan IS NOT NULL)),
    CONSTRAINT a_turn_is_the_persons CHECK (turn IS NULL OR role = 'person'),
    CONSTRAINT at_is_an_instant CHECK (
        at GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T'
              || '[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]Z')
) STRICT, WITHOUT ROWID;

-- A plan has one place in a conversation, whoever proposes it again.
CREATE UNIQUE INDEX plans_have_one_place
    ON messages (org, person, conversation, plan) WHERE plan IS NOT NULL;

CREATE INDEX answers_of_a_message ON messages (org, person, answers);

CREATE TRIGGER messages_keep_what_was_said
BEFORE UPDATE OF org, person, message, conversation, position, at, role, text, plan, answers
ON messages
BEGIN SELECT RAISE(ABORT, 'what was said is never changed'); END;

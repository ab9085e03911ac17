-- What people and the assistant said to each other. Every line has a place in its conversation; of a
-- proposal that came to no plan it is what is missing, in the form of semel.channels.cards.keep. A
-- conversation has at most one message that is being answered, by one process until an instant, so
-- that no process has to remember anything and a dead one blocks nobody for long.

CREATE TABLE conversations (
    org          TEXT COLLATE "C" NOT NULL,
    person       TEXT COLLATE "C" NOT NULL,
    conversation TEXT COLLATE "C" NOT NULL CHECK (conversation <> ''),
    last         BIGINT NOT NULL CHECK (last >= 0),
    answering    TEXT COLLATE "C",
    owner        TEXT COLLATE "C",
    until        TEXT COLLATE "C",
    draft        TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (org, person, conversation),
    FOREIGN KEY (org, person) REFERENCES people (org, person),
    CONSTRAINT a_claim_is_whole CHECK (
        (answering IS NULL) = (owner IS NULL) AND (answering IS NULL) = (until IS NULL)),
    CONSTRAINT until_is_an_instant CHECK (books_is_instant(until))
);

CREATE TABLE messages (
    org          TEXT COLLATE "C" NOT NULL,
    person       TEXT COLLATE "C" NOT NULL,
    message      TEXT COLLATE "C" NOT NULL CHECK (message <> ''),
    conversation TEXT COLLATE "C" NOT NULL,
    position     BIGINT NOT NULL CHECK (position >= 1),
    at           TEXT COLLATE "C" NOT NULL,
    role         TEXT COLLATE "C" NOT NULL CHECK (
        role IN ('person', 'assistant', 'plan', 'invalid')),
    text         TEXT COLLATE "C" NOT NULL,
    plan         TEXT COLLATE "C",
    answers      TEXT COLLATE "C",
    state        TEXT COLLATE "C"
                 CHECK (state IN ('waiting', 'heard', 'planning', 'answered', 'lost')),
    tries        BIGINT NOT NULL CHECK (tries >= 0),
    turn         TEXT COLLATE "C",
    PRIMARY KEY (org, person, message),
    UNIQUE (org, person, conversation, position),
    FOREIGN KEY (org, person, conversation)
        REFERENCES conversations (org, person, conversation),
    FOREIGN KEY (org, person, answers) REFERENCES messages (org, person, message),
    CONSTRAINT a_person_is_answered CHECK (
        (role = 'person') = (state IS NOT NULL) AND (role = 'person') = (answers IS NULL)),
    CONSTRAINT a_plan_is_a_plan CHECK ((role = 'plan') = (plan IS NOT NULL)),
    CONSTRAINT a_turn_is_the_persons CHECK (turn IS NULL OR role = 'person'),
    CONSTRAINT at_is_an_instant CHECK (books_is_instant(at))
);

-- A plan has one place in a conversation, whoever proposes it again.
CREATE UNIQUE INDEX plans_have_one_place
    ON messages (org, person, conversation, plan) WHERE plan IS NOT NULL;

CREATE INDEX answers_of_a_message ON messages (org, person, answers);

CREATE TRIGGER messages_keep_what_was_said
BEFORE UPDATE OF org, person, message, conversation, position, at, role, text, plan, answers
ON messages
FOR EACH ROW EXECUTE FUNCTION books_refuse('what was said is never changed');

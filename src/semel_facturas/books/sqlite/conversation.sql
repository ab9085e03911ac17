-- open --
-- Make a conversation where it is missing; nothing has been said in it yet.
INSERT INTO conversations (org, person, conversation, last, draft)
VALUES (:org, :person, :conversation, 0, '')
ON CONFLICT (org, person, conversation) DO NOTHING;

-- hold --
-- Keep a conversation until the transaction ends, and read who answers which message of it: two
-- processes then never take the same place or the same message.
-- Differs by necessity: a writing transaction is alone here, so nothing has to be locked.
SELECT answering, owner, until
  FROM conversations
 WHERE org = :org AND person = :person AND conversation = :conversation;

-- next --
-- Take the next place of a conversation.
UPDATE conversations
   SET last = last + 1
 WHERE org = :org AND person = :person AND conversation = :conversation
RETURNING last;

-- say --
-- Write a line of a conversation down.
INSERT INTO messages (org, person, message, conversation, position, at, role, text, plan, answers,
                      state, tries)
VALUES (:org, :person, :message, :conversation, :position, :now, :role, :text, :plan, :answers,
        :state, 0);

-- get --
-- Read a message of this person's only: to others it does not exist.
SELECT message, conversation, position, at, text, state, tries
  FROM messages
 WHERE org = :org AND person = :person AND message = :message AND role = 'person';

-- first_open --
-- Find what has to be answered first, since people are answered in the order in which they spoke.
SELECT message, conversation, position, at, text, state, tries
  FROM messages
 WHERE org = :org AND person = :person AND conversation = :conversation
   AND state IN ('waiting', 'heard', 'planning')
 ORDER BY position
 LIMIT 1;

-- claim --
-- Write down who answers a message now, and until when nobody else may.
UPDATE conversations
   SET answering = :message, owner = :owner, until = :until, draft = ''
 WHERE org = :org AND person = :person AND conversation = :conversation;

-- renew --
-- Go on answering, and show what has been said so far to whoever watches from another process.
UPDATE conversations
   SET until = :until, draft = :draft
 WHERE org = :org AND person = :person AND conversation = :conversation
   AND answering = :message AND owner = :owner;

-- free --
-- Let the next message be answered; only who answers this one can say that it is through.
UPDATE conversations
   SET answering = NULL, owner = NULL, until = NULL, draft = ''
 WHERE org = :org AND person = :person AND conversation = :conversation
   AND answering = :message AND owner = :owner;

-- move --
-- Say how far the answering of a message has come.
UPDATE messages
   SET state = :state, tries = :tries
 WHERE org = :org AND person = :person AND message = :message;

-- keep_turn --
-- Keep what a model said and was told in answering a message: its memory comes from nowhere else.
UPDATE messages
   SET turn = :turn
 WHERE org = :org AND person = :person AND message = :message;

-- working --
-- Read who answers in a conversation, until when, and what has been said so far.
SELECT answering, until, draft
  FROM conversations
 WHERE org = :org AND person = :person AND conversation = :conversation;

-- lines --
-- Read the end of a conversation, newest first.
SELECT message, position, at, role, text, plan, answers, state, tries
  FROM messages
 WHERE org = :org AND person = :person AND conversation = :conversation
 ORDER BY position DESC
 LIMIT coalesce(:limit, 0);

-- answer --
-- Read what was said to a message, in its order.
SELECT message, position, at, role, text, plan, answers, state, tries
  FROM messages
 WHERE org = :org AND person = :person AND answers = :message
 ORDER BY position;

-- has_plan --
-- Look whether a plan has its place in a conversation already.
SELECT message
  FROM messages
 WHERE org = :org AND person = :person AND conversation = :conversation AND plan = :plan;

-- turns --
-- Read what a model may remember of a conversation, newest first.
SELECT turn
  FROM messages
 WHERE org = :org AND person = :person AND conversation = :conversation AND turn IS NOT NULL
 ORDER BY position DESC
 LIMIT coalesce(:limit, 0);

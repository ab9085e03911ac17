-- insert --
-- A plan enters asking, running or already ended; which one was decided before, in this transaction.
INSERT INTO semel_plans (org, plan, person, conversation, message, sentence, locale, state, reason, risk, why,
                         version, epoch, at, round, stall, owner, resume_after, digest, seal, kid,
                         created_at, expires_at, ended_at)
VALUES (:org, :plan, :person, :conversation, :message, :sentence, :locale, :state, :reason, :risk, :why,
        1, :epoch, :at, 1, 0, :owner, :resume_after, :digest, :seal, :kid, :now, :expires_at, :ended_at)

-- find --
-- A plan as it is. Differs by necessity: there is no FOR UPDATE here, a writing transaction is alone.
SELECT * FROM semel_plans WHERE org = :org AND plan = :plan

-- pending --
-- The one question that a bare yes of this person would answer.
SELECT * FROM semel_plans
 WHERE org = :org AND person = :person AND conversation = :conversation AND state = 'asking'

-- of_message --
-- The plans that one message has led to; a loop that words itself anew is seen here.
SELECT plan, state, reason, at FROM semel_plans
 WHERE org = :org AND person = :person AND conversation = :conversation AND message = :message
 ORDER BY plan

-- listed --
-- The plans that a person may look at, newest first; person NULL means everybody's.
SELECT * FROM semel_plans
 WHERE org = :org AND (:person IS NULL OR person = :person)
 ORDER BY plan DESC LIMIT :limit

-- everywhere --
-- Every organization's plans, newest first: for the operator of the machine, who reads the file anyway.
SELECT org, plan FROM semel_plans ORDER BY plan DESC LIMIT :limit

-- whose --
-- The organization of a plan's number, for the operator who has only that.
SELECT org FROM semel_plans WHERE plan = :plan

-- requestion --
-- The facts changed while the question stood: the same plan asks again, as its next version.
UPDATE semel_plans
   SET version = version + 1, digest = :digest, seal = :seal, kid = :kid, expires_at = :expires_at, risk = :risk
 WHERE org = :org AND plan = :plan AND state = 'asking' AND version = :version
RETURNING version

-- press --
-- The yes: taken together with the question, in one commit, before the first handler runs. It sets
-- resume_after itself, so a process that dies right after it loses nothing.
UPDATE semel_plans
   SET state = 'running', epoch = epoch + 1, owner = :owner, resume_after = :resume_after
 WHERE org = :org AND plan = :plan AND state = 'asking' AND version = :version AND cancelled_at IS NULL
RETURNING epoch

-- start --
-- Begin a step: only the owner, only in order, only when the step before is done and nobody cancelled.
UPDATE semel_plans
   SET at = :position, resume_after = :resume_after, stall = 0
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
   AND cancelled_at IS NULL AND at = :position - 1
   AND (:position = 1 OR EXISTS (SELECT 1 FROM semel_steps AS s
         WHERE s.org = :org AND s.plan = :plan AND s.position = :position - 1 AND s.state = 'done'))
RETURNING at

-- own --
-- Lock the plan for its owner and read it; no row means that the right to run it is gone.
SELECT * FROM semel_plans WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'

-- stop --
-- End a running plan as its owner.
UPDATE semel_plans
   SET state = 'ended', reason = :reason, ended_at = :now, resume_after = NULL, owner = NULL
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
RETURNING plan

-- prove --
-- A late proof corrects why a plan ended, and the old epoch is worth nothing any more.
UPDATE semel_plans
   SET reason = :reason, epoch = epoch + 1
 WHERE org = :org AND plan = :plan AND state = 'ended' AND reason = 'in_doubt'
RETURNING plan

-- dismiss --
-- A question that will not be answered: cancelled, superseded, expired or refused.
UPDATE semel_plans
   SET state = 'ended', reason = :reason, ended_at = :now,
       cancelled_at = CASE WHEN :reason = 'cancelled' THEN :now END
 WHERE org = :org AND plan = :plan AND state = 'asking'
RETURNING plan

-- running --
-- Running plans, so that those whose owner is gone can be found; the oldest first.
SELECT org, plan, epoch, owner, resume_after, stall FROM semel_plans
 WHERE state = 'running' ORDER BY resume_after, org, plan LIMIT :limit

-- take_over --
-- Take a plan whose time has come from the owner that was seen; losing is no error.
UPDATE semel_plans
   SET epoch = epoch + 1, owner = :owner, resume_after = :resume_after, stall = stall + 1
 WHERE org = :org AND plan = :plan AND state = 'running' AND epoch = :epoch
RETURNING epoch, stall

-- unanswered --
-- Questions whose time has passed.
SELECT org, plan FROM semel_plans
 WHERE state = 'asking' AND expires_at <= :now ORDER BY expires_at, org, plan LIMIT :limit

-- insert --
-- A plan enters asking, running or already ended; which one was decided before, in this transaction.
INSERT INTO semel_plans (org, plan, kind, parent, person, conversation, message, sentence, locale, state,
                         reason, risk, why, version, epoch, at, round, stall, owner, resume_after, digest,
                         seal, kid, created_at, expires_at, ended_at, not_before, not_after, unless,
                         subject_kind, subject_id, head)
VALUES (:org, :plan, :kind, :parent, :person, :conversation, :message, :sentence, :locale, :state,
        :reason, :risk, :why, 1, :epoch, :at, 1, 0, :owner, :resume_after, :digest,
        :seal, :kid, :now, :expires_at, :ended_at, :not_before, :not_after, :unless,
        :subject_kind, :subject_id, :head)

-- find --
-- A plan as it is, for those who only look.
SELECT * FROM semel_plans WHERE org = :org AND plan = :plan

-- lock --
-- A plan as it is, and as it stays until this transaction ends: whoever writes reads it this way.
-- Differs by necessity: only a lock keeps others from writing here; theirs on our keys may stay.
SELECT * FROM semel_plans WHERE org = :org AND plan = :plan
   FOR NO KEY UPDATE

-- pending --
-- The one question that a bare yes of this person would answer.
SELECT * FROM semel_plans
 WHERE org = :org AND person = :person AND conversation = :conversation AND state = 'asking'

-- of_message --
-- The plans that one message has led to; a loop that words itself anew is seen here.
-- Differs by necessity: by the bare number PostgreSQL would go through all plans in their order instead.
SELECT plan, state, reason, at FROM semel_plans
 WHERE org = :org AND person = :person AND conversation = :conversation AND message = :message
   AND kind = 'plan'
 ORDER BY plan || ''

-- of_slot --
-- What goes on in a conversation, newest first: what a word like "cancel", "retry" or "undo" is about.
-- Differs by necessity: as of_message.
SELECT plan FROM semel_plans
 WHERE org = :org AND person = :person AND conversation = :conversation AND kind IN ('plan', 'undo')
 ORDER BY plan || '' DESC LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- running_in --
-- The actions of what is being done in a conversation at this moment: a new plan with one of them may
-- be the same wish again.
SELECT DISTINCT s.action FROM semel_plans AS p JOIN semel_steps AS s ON s.org = p.org AND s.plan = p.plan
 WHERE p.org = :org AND p.person = :person AND p.conversation = :conversation
   AND p.state = 'running' AND p.kind = 'plan'
 ORDER BY s.action

-- children --
-- The plans that a plan's steps have written for later, in the order they will come.
SELECT * FROM semel_plans WHERE org = :org AND parent = :plan AND kind = 'later' ORDER BY not_before, plan

-- listed --
-- The plans that a person may look at, newest first; person NULL means everybody's.
SELECT * FROM semel_plans
 WHERE org = :org AND (:person::text IS NULL OR person = :person)
 ORDER BY plan DESC LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- everywhere --
-- Every organization's plans, newest first: for the operator of the machine, who reads the file anyway.
SELECT org, plan FROM semel_plans ORDER BY plan DESC LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- lost --
-- Plans of which something is left and that are not there themselves: no statement leaves that behind.
SELECT DISTINCT org, plan
  FROM (SELECT org, plan FROM semel_steps UNION SELECT org, plan FROM semel_attempts
        UNION SELECT org, plan FROM semel_confirmations UNION SELECT org, plan FROM semel_keys
        UNION SELECT org, plan FROM semel_events UNION SELECT org, plan FROM semel_effects
        UNION SELECT org, parent AS plan FROM semel_plans WHERE parent IS NOT NULL) AS left_behind
 WHERE NOT EXISTS (SELECT 1 FROM semel_plans AS p WHERE p.org = left_behind.org AND p.plan = left_behind.plan)
 ORDER BY org, plan

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
-- After a retry the step before may be done by a proof that came late, which is why at may lag behind.
UPDATE semel_plans
   SET at = :position, resume_after = :resume_after, stall = 0
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
   AND cancelled_at IS NULL AND at < :position
   AND (:position = 1 OR EXISTS (SELECT 1 FROM semel_steps AS s
         WHERE s.org = :org AND s.plan = :plan AND s.position = :position - 1 AND s.state = 'done'))
RETURNING at

-- resend --
-- The same step once more, by its owner: never after a cancel, and never as a start.
UPDATE semel_plans SET resume_after = :resume_after
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
   AND cancelled_at IS NULL AND at = :position
   AND EXISTS (SELECT 1 FROM semel_steps AS s
        WHERE s.org = :org AND s.plan = :plan AND s.position = :position AND s.state = 'started')
RETURNING at

-- release --
-- A process that is being stopped hands its plan on: whoever sweeps next may have it at once.
UPDATE semel_plans SET resume_after = :now
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running' AND owner IS NOT NULL
RETURNING plan

-- own --
-- Lock the plan for its owner and read it; no row means that the right to run it is gone.
-- Differs by necessity: as lock.
SELECT * FROM semel_plans WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
   FOR NO KEY UPDATE

-- stop --
-- End a running plan as its owner. A doubt says when it is worth looking again.
UPDATE semel_plans
   SET state = 'ended', reason = :reason, ended_at = :now, resume_after = NULL, owner = NULL,
       look_after = :look_after
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running'
RETURNING plan, kind, parent

-- prove --
-- A late proof corrects why a plan ended, and the old epoch is worth nothing any more.
UPDATE semel_plans
   SET reason = :reason, epoch = epoch + 1, look_after = NULL
 WHERE org = :org AND plan = :plan AND state = 'ended' AND reason = 'in_doubt'
RETURNING plan

-- doubts --
-- Plans in doubt at which it is time to look again.
SELECT org, plan, epoch FROM semel_plans
 WHERE look_after <= :now ORDER BY look_after, org, plan LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- look_again --
-- When to look at a doubt next; NULL when only a person can end it.
UPDATE semel_plans SET look_after = :look_after
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'ended' AND reason = 'in_doubt'
RETURNING plan

-- cancel --
-- A person stops a running plan: the same row that every step's start changes, so the answer is exact.
UPDATE semel_plans SET cancelled_at = :now
 WHERE org = :org AND plan = :plan AND epoch = :epoch AND state = 'running' AND cancelled_at IS NULL
RETURNING at

-- offer --
-- What is left of an ended plan, with the figures of now: what a retry would be a yes to.
UPDATE semel_plans
   SET version = version + 1, digest = :digest, seal = :seal, kid = :kid
 WHERE org = :org AND plan = :plan AND state = 'ended' AND epoch = :epoch AND version = :version
RETURNING version

-- retry --
-- The same plan goes on after its last done step, in a new round; every earlier offer is void.
UPDATE semel_plans
   SET state = 'running', reason = NULL, ended_at = NULL, cancelled_at = NULL, epoch = epoch + 1,
       round = round + 1, at = :at, stall = 0, owner = :owner, resume_after = :resume_after
 WHERE org = :org AND plan = :plan AND state = 'ended' AND epoch = :epoch AND version = :version
   AND reason IN ('failed', 'stale') AND undone_by IS NULL
RETURNING epoch

-- send_again --
-- A person has a step in doubt sent once more: the plan runs again at that very step.
UPDATE semel_plans
   SET state = 'running', reason = NULL, ended_at = NULL, look_after = NULL, epoch = epoch + 1,
       stall = 0, owner = :owner, resume_after = :resume_after
 WHERE org = :org AND plan = :plan AND state = 'ended' AND epoch = :epoch AND reason = 'in_doubt'
RETURNING epoch

-- undo --
-- A plan is taken back once; every other offer on it is void from here on.
UPDATE semel_plans SET undone_by = :undone_by, epoch = epoch + 1
 WHERE org = :org AND plan = :plan AND state = 'ended' AND epoch = :epoch AND undone_by IS NULL
   AND reason <> 'in_doubt'
RETURNING epoch

-- not_undone --
-- The undo changed nothing, so it may be offered again.
UPDATE semel_plans SET undone_by = NULL
 WHERE org = :org AND plan = :plan AND undone_by = :undone_by
RETURNING plan

-- waiting_about --
-- Later plans about a record that nobody has begun.
-- Differs by necessity: as of_message.
SELECT org, plan FROM semel_plans
 WHERE org = :org AND subject_kind = :subject_kind AND subject_id = :subject_id
   AND kind = 'later' AND state = 'running' AND at = 0
 ORDER BY plan || ''

-- end_waiting --
-- A later plan that has not begun will not come; one that has begun is left alone. Somebody may have
-- taken it over for its day already: the epoch makes that worthless.
UPDATE semel_plans
   SET state = 'ended', reason = 'cancelled', ended_at = :now, cancelled_at = :now, resume_after = NULL,
       owner = NULL, epoch = epoch + 1
 WHERE org = :org AND plan = :plan AND kind = 'later' AND state = 'running' AND at = 0
RETURNING plan

-- dismiss --
-- A question that will not be answered: cancelled, superseded, expired or refused.
UPDATE semel_plans
   SET state = 'ended', reason = :reason, ended_at = :now,
       cancelled_at = CASE WHEN :reason = 'cancelled' THEN :now END
 WHERE org = :org AND plan = :plan AND state = 'asking'
RETURNING plan

-- running --
-- Running plans, so that those whose owner is gone can be found; the oldest first. One that waits for
-- its day is nobody's: it is there when the day has come.
SELECT org, plan, epoch, owner, resume_after, stall FROM semel_plans
 WHERE state = 'running' AND (owner IS NOT NULL OR resume_after <= :now)
 ORDER BY resume_after, org, plan LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- take_over --
-- Take a plan whose time has come from the owner that was seen; losing is no error. A later plan on its
-- day is nobody's yet, so nobody has got nowhere with it. Differs by necessity: a row that is held is
-- somebody's who is at work on it, and a sweep waits for nobody.
UPDATE semel_plans
   SET epoch = epoch + 1, owner = :owner, resume_after = :resume_after,
       stall = CASE WHEN owner IS NULL THEN stall ELSE stall + 1 END
 WHERE (org, plan) IN (SELECT org, plan FROM semel_plans
                        WHERE org = :org AND plan = :plan AND state = 'running' AND epoch = :epoch
                          FOR NO KEY UPDATE SKIP LOCKED)
RETURNING epoch, stall

-- unanswered --
-- Questions whose time has passed.
SELECT org, plan FROM semel_plans
 WHERE state = 'asking' AND expires_at <= :now ORDER BY expires_at, org, plan LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- page --
-- Plans in the order of their numbers, for whoever has to come by every one.
SELECT org, plan, state, reason FROM semel_plans WHERE plan > :after ORDER BY plan LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- fence --
-- What became of a plan in the time that a restored copy has lost, nobody knows: it ends in doubt, and
-- everything that was shown of it before is void.
UPDATE semel_plans
   SET state = 'ended', reason = 'in_doubt', ended_at = coalesce(ended_at, :now), resume_after = NULL,
       owner = NULL, epoch = :next, at = CASE WHEN at < :at THEN :at ELSE at END,
       look_after = :look_after
 WHERE org = :org AND plan = :plan AND epoch = :epoch
   AND (state <> 'ended' OR reason = 'in_doubt')
RETURNING epoch

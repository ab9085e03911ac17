-- insert --
-- A step with what was shown of it; state and result come with it when it already ran.
INSERT INTO semel_steps (org, plan, position, action, action_version, effect, input, preview, facts_digest,
                         risk, state, result, later, "similar", round, started_at, ended_at)
VALUES (:org, :plan, :position, :action, :action_version, :effect, :input, :preview, :facts_digest,
        :risk, :state, :result, :later, :similar, 1, :started_at, :ended_at)

-- of_plan --
-- All steps of a plan, in order.
SELECT * FROM semel_steps WHERE org = :org AND plan = :plan ORDER BY position

-- reshow --
-- A step's preview as it is now, for the next version of the question or the offer of a retry; what
-- was shown before stays beside it. What is done or may have happened is never shown anew.
UPDATE semel_steps
   SET preview = :preview, facts_digest = :facts_digest, risk = :risk, action_version = :action_version,
       later = :later, "similar" = :similar, changed = :changed
 WHERE org = :org AND plan = :plan AND position = :position AND state IN ('waiting', 'not_done')
RETURNING position

-- reset --
-- What was not done waits again, in the plan's new round.
UPDATE semel_steps
   SET state = 'waiting', reason = NULL, detail = NULL, started_at = NULL, ended_at = NULL,
       changed = NULL, resolution = NULL, resolved_by = NULL, round = :round
 WHERE org = :org AND plan = :plan AND state = 'not_done'
RETURNING position

-- remark --
-- A step in doubt is sent once more because a person says so.
UPDATE semel_steps SET state = 'started', ended_at = NULL, resolution = :resolution, resolved_by = :resolved_by
 WHERE org = :org AND plan = :plan AND position = :position AND state = 'in_doubt'
RETURNING position

-- answered --
-- What a person said of a step in doubt, with the change that follows from it.
UPDATE semel_steps SET resolution = :resolution, resolved_by = :resolved_by
 WHERE org = :org AND plan = :plan AND position = :position
RETURNING position

-- unreferred --
-- A later step cannot be done, since nobody knows what an earlier one made.
UPDATE semel_steps SET reason = 'unknown_reference'
 WHERE org = :org AND plan = :plan AND position = :position AND state = 'not_done' AND reason = 'not_reached'
RETURNING position

-- mark --
-- An outside step is about to leave: this row is on disk before the first byte is.
UPDATE semel_steps SET state = 'started', started_at = :now
 WHERE org = :org AND plan = :plan AND position = :position AND state = 'waiting'
RETURNING position

-- done --
-- A step happened. From waiting in the same transaction (Local), from started or doubt by proof.
UPDATE semel_steps
   SET state = 'done', reason = NULL, detail = NULL, result = :result, ended_at = :now,
       started_at = coalesce(started_at, :now)
 WHERE org = :org AND plan = :plan AND position = :position AND state IN ('waiting', 'started', 'in_doubt')
RETURNING position

-- not_done --
-- A step did not happen, with its proof; never from done. From a doubt only by the definite refusal
-- of the only send there ever was, which arrived late.
UPDATE semel_steps SET state = 'not_done', reason = :reason, detail = :detail, ended_at = :now
 WHERE org = :org AND plan = :plan AND position = :position AND state IN ('waiting', 'started', 'in_doubt')
RETURNING position

-- doubt --
-- A step may have happened and nothing proves it.
UPDATE semel_steps SET state = 'in_doubt', detail = :detail, ended_at = :now
 WHERE org = :org AND plan = :plan AND position = :position AND state = 'started'
RETURNING position

-- not_reached --
-- What comes after the step that ended the plan was not done because of that.
UPDATE semel_steps SET state = 'not_done', reason = :reason, ended_at = :now
 WHERE org = :org AND plan = :plan AND state = 'waiting'
RETURNING position

-- lose --
-- An outside step that may have been sent in the time that a restored copy has lost, whether or not it
-- had begun before.
UPDATE semel_steps SET state = 'in_doubt', started_at = coalesce(started_at, :now), ended_at = :now
 WHERE org = :org AND plan = :plan AND position = :position AND effect <> 'local'
   AND state IN ('waiting', 'started')
RETURNING position

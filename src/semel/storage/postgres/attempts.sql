-- open --
-- Who sends what and until when. Its id is random: an attempt's number may be another's by now.
INSERT INTO semel_attempts (org, plan, position, id, round, epoch, key, sent_by, opened_at, deadline_at,
                            settles_at, request_digest, outcome, returned_at)
VALUES (:org, :plan, :position, :id, :round, :epoch, :key, :sent_by, :now, :deadline_at,
        :settles_at, :request_digest, :outcome, :returned_at)

-- close --
-- How an attempt ended: made, refused, void and absent are proofs; unknown leaves it open for ever after.
UPDATE semel_attempts SET outcome = :outcome, detail = :detail, returned_at = coalesce(returned_at, :returned_at)
 WHERE org = :org AND plan = :plan AND position = :position AND id = :id
   AND (outcome IS NULL OR outcome = 'unknown')
RETURNING id

-- of_step --
-- The attempts of a step, in order.
SELECT * FROM semel_attempts WHERE org = :org AND plan = :plan AND position = :position
 ORDER BY opened_at, id

-- of_plan --
-- The attempts of a plan, for the person who wants to see every one.
SELECT * FROM semel_attempts WHERE org = :org AND plan = :plan ORDER BY position, opened_at, id

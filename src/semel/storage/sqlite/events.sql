-- last --
-- Where the plan's chain ends.
SELECT seq, digest FROM semel_events WHERE org = :org AND plan = :plan ORDER BY seq DESC LIMIT 1

-- append --
-- One event, in the transaction of the change it describes.
INSERT INTO semel_events (org, plan, seq, at, kind, position, body, body_digest, digest, told)
VALUES (:org, :plan, :seq, :at, :kind, :position, :body, :body_digest, :digest, :told)

-- of_plan --
-- The life of a plan.
SELECT * FROM semel_events WHERE org = :org AND plan = :plan ORDER BY seq

-- head --
-- Where the plan's chain ends by now, signed: an event that is cut off or added afterwards does not fit it.
UPDATE semel_plans SET head = :head WHERE org = :org AND plan = :plan
RETURNING plan

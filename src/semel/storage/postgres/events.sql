-- last --
-- Where the plan's chain ends.
SELECT seq, digest FROM semel_events WHERE org = :org AND plan = :plan ORDER BY seq DESC LIMIT 1

-- append --
-- One event, in the transaction of the change it describes.
INSERT INTO semel_events (org, plan, seq, at, kind, position, body, body_digest, digest)
VALUES (:org, :plan, :seq, :at, :kind, :position, :body, :body_digest, :digest)

-- of_plan --
-- The life of a plan.
SELECT * FROM semel_events WHERE org = :org AND plan = :plan ORDER BY seq

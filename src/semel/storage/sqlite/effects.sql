-- insert --
-- A record that a step made or touched, with the version it left it in.
INSERT INTO semel_effects (org, kind, id, plan, position, version, label)
VALUES (:org, :kind, :id, :plan, :position, :version, :label)

-- of_plan --
-- What a plan made or touched, in order.
SELECT * FROM semel_effects WHERE org = :org AND plan = :plan ORDER BY position, kind, id

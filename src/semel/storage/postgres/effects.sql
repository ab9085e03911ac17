-- insert --
-- A record that a step made or touched, with the version it left it in.
INSERT INTO semel_effects (org, kind, id, plan, position, version, label)
VALUES (:org, :kind, :id, :plan, :position, :version, :label)

-- of_plan --
-- What a plan made or touched, in order.
SELECT * FROM semel_effects WHERE org = :org AND plan = :plan ORDER BY position, kind, id

-- of_record --
-- The plans that made or touched a record, first the one that made it; by its id or by how it is called,
-- which several may be.
SELECT DISTINCT e.plan, e.id FROM semel_effects AS e
 WHERE e.org = :org AND e.kind = :kind
   AND (e.id = :id OR e.id IN (SELECT l.id FROM semel_effects AS l
                                WHERE l.org = :org AND l.kind = :kind AND l.label = :id))
 ORDER BY e.plan, e.id

-- orgs_of --
-- The organizations that have a record of this id or name: for the operator of the machine, who has no other.
SELECT DISTINCT org FROM semel_effects WHERE kind = :kind AND (id = :id OR label = :id) ORDER BY org

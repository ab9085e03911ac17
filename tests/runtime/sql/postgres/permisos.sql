-- denied --
-- Whether a person may not do something.
SELECT 1 AS denied FROM negados WHERE org = :org AND person = :person AND permission = :permission

-- deny --
-- From now on they may not.
INSERT INTO negados (org, person, permission) VALUES (:org, :person, :permission)

-- allow --
-- From now on they may again.
DELETE FROM negados WHERE org = :org AND person = :person AND permission = :permission

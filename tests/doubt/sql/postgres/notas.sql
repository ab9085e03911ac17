-- add --
-- A note is written; its text may stand twice, so that a second effect would be seen.
INSERT INTO notas (org, id, text, signed, version, created_at, gone) VALUES (:org, :id, :text, 0, 1, :now, 0)

-- get --
-- A note of this organization, thrown away or not.
SELECT * FROM notas WHERE org = :org AND id = :id

-- like --
-- Notes of the same words since an instant.
SELECT * FROM notas WHERE org = :org AND text = :text AND created_at > :since AND gone = 0 ORDER BY id

-- edit --
-- Change a note in the version that was seen.
UPDATE notas SET text = :text, version = version + 1 WHERE org = :org AND id = :id AND version = :version

-- sign --
-- Sign a note once more; how often is counted, so that a repeat would be seen.
UPDATE notas SET signed = signed + 1, version = version + 1 WHERE org = :org AND id = :id AND gone = 0

-- drop --
-- Throw a note away in the version that was seen.
UPDATE notas SET gone = 1, version = version + 1 WHERE org = :org AND id = :id AND version = :version AND gone = 0

-- deny --
-- From here on this person may not. Differs by necessity: PostgreSQL has no INSERT OR IGNORE.
INSERT INTO negados (org, person, permission) VALUES (:org, :person, :permission) ON CONFLICT DO NOTHING

-- denied --
-- Whether this person may not.
SELECT 1 AS denied FROM negados WHERE org = :org AND person = :person AND permission = :permission

-- restore --
-- Bring a note back that was thrown away, in the version that it was left in.
UPDATE notas SET gone = 0, version = version + 1 WHERE org = :org AND id = :id AND version = :version AND gone = 1

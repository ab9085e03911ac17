-- add --
-- A note is written; its text may stand twice, so that a second effect would be seen.
INSERT INTO notas (org, id, text, signed, version) VALUES (:org, :id, :text, 0, 1)

-- get --
-- A note of this organization.
SELECT * FROM notas WHERE org = :org AND id = :id

-- sign --
-- Sign a note once more; how often is counted, so that a repeat would be seen.
UPDATE notas SET signed = signed + 1, version = version + 1 WHERE org = :org AND id = :id

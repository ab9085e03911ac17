-- add --
-- A thing comes.
INSERT INTO things (org, id, name, price, looks, version)
VALUES (:org, :id, :name, :price, 0, 1)

-- get --
-- A thing of this organization.
SELECT * FROM things WHERE org = :org AND id = :id

-- named --
-- What is called the same.
SELECT * FROM things WHERE org = :org AND name = :name ORDER BY id

-- price --
-- A thing gets another price.
UPDATE things SET price = :price, version = version + 1 WHERE org = :org AND id = :id

-- looked --
-- Somebody has looked.
UPDATE things SET looks = looks + 1 WHERE org = :org

-- remove --
-- A thing goes.
DELETE FROM things WHERE org = :org AND id = :id

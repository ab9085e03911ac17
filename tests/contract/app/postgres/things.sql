-- put --
-- A record of the application, so that one transaction can be seen to cover both sides.
INSERT INTO things (id, value) VALUES (:id, :value)

-- get --
-- A record as it is.
SELECT id, value FROM things WHERE id = :id

-- count --
-- How many there are, the shortest way to see that nothing was left behind.
SELECT count(*) AS n FROM things

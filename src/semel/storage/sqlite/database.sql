-- find --
-- What the database knows of itself; no row while nobody has had anything to write down.
SELECT * FROM semel_database WHERE id = 1

-- fence --
-- It was put back from an older copy: a new generation begins. No row when that has begun and is not through.
INSERT INTO semel_database (id, generation, fenced_at, fencing) VALUES (1, 2, :now, 1)
ON CONFLICT (id) DO UPDATE
   SET generation = semel_database.generation + 1, fenced_at = excluded.fenced_at, fencing = 1
 WHERE semel_database.fencing = 0
RETURNING generation, fenced_at

-- fenced --
-- Every plan of before has been dealt with, and outside steps may begin again.
UPDATE semel_database SET fencing = 0 WHERE id = 1
RETURNING generation

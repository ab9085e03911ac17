-- insert --
-- A new note, as a draft.
INSERT INTO notas (org, id, texto, importe, estado, version)
VALUES (:org, :id, :texto, :importe, 'borrador', 1)

-- find --
-- One organization's note.
SELECT * FROM notas WHERE org = :org AND id = :id

-- find_to_change --
-- A note that is read to decide what to write. Differs by necessity: the row is locked, since
-- another transaction may write at the same time.
SELECT * FROM notas WHERE org = :org AND id = :id FOR NO KEY UPDATE

-- next_folio --
-- The counter's row is locked by its own change, so numbers are given one after the other. Differs by
-- necessity: the old value has to be called by its table's name.
INSERT INTO folios (org, ultimo) VALUES (:org, 1)
ON CONFLICT (org) DO UPDATE SET ultimo = folios.ultimo + 1
RETURNING ultimo

-- last_folio --
-- What a preview shows; it may be another's by the time it is given.
SELECT ultimo FROM folios WHERE org = :org

-- sign --
-- A note is signed once.
UPDATE notas SET estado = 'firmada', folio = :folio, version = version + 1
 WHERE org = :org AND id = :id AND estado = 'borrador'
RETURNING *

-- reprice --
-- Somebody changes an amount outside any plan.
UPDATE notas SET importe = :importe, version = version + 1 WHERE org = :org AND id = :id

-- delete --
-- A note is thrown away.
DELETE FROM notas WHERE org = :org AND id = :id

-- count --
-- How many notes an organization has.
SELECT count(*) AS n FROM notas WHERE org = :org

-- spoil --
-- A statement that takes the whole transaction away when it meets a note that is there. Differs by
-- necessity: any refused row does that here.
INSERT INTO notas (org, id, texto, importe, estado, version)
VALUES (:org, :id, 'otra vez', '0', 'borrador', 1)

-- guarantee --
-- A guarantee for a note that need not be there yet.
INSERT INTO avales (org, nota) VALUES (:org, :nota)

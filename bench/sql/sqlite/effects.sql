-- insert --
-- One effect of one call; a second one for the same key would be seen, so nothing forbids it here.
INSERT INTO effects (key, payload) VALUES (:key, :payload)

-- durability --
-- What this very connection is set to: a row whose commits may be lost is no row.
SELECT (SELECT journal_mode FROM pragma_journal_mode) AS journal_mode,
       (SELECT synchronous FROM pragma_synchronous) AS synchronous

-- find --
-- What the call with this key came to. Reading it outside a transaction first is all that a replay costs.
SELECT result FROM semel_calls WHERE org = :org AND key = :key

-- insert --
-- The value, in the transaction that made it. A second row for a key is refused, and its effect with it.
INSERT INTO semel_calls (org, key, result, created_at) VALUES (:org, :key, :result, :now)

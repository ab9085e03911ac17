-- insert --
-- Own a request, or get no row: losing is not an error, the key then says whose it is.
INSERT INTO semel_keys (org, key, layer, plan) VALUES (:org, :key, :layer, :plan)
ON CONFLICT (org, key) DO NOTHING
RETURNING plan

-- find --
-- The plan that a request already led to.
SELECT plan FROM semel_keys WHERE org = :org AND key = :key

-- of_plan --
-- The requests that led to a plan. Differs by necessity: the + keeps the order from being had of the primary
-- key, along all of the organization's keys.
SELECT * FROM semel_keys WHERE org = :org AND plan = :plan ORDER BY +key

-- move --
-- A superseded plan is proposed afresh: the key moves only from the plan that was read.
UPDATE semel_keys SET plan = :plan WHERE org = :org AND key = :key AND plan = :old
RETURNING plan

-- hold --
-- Nobody else holds the same before this transaction has ended: a call's key, what makes two records look
-- alike. Differs by necessity: a writing transaction is alone here, so everything is held already.
SELECT 1 AS held WHERE :org IS NOT NULL AND :key IS NOT NULL

-- unended --
-- What is not at its end in an organization, newest first: what asks, what runs or waits for its day, and
-- what nobody knows the end of. Three small indexes hold nothing else.
SELECT * FROM (SELECT * FROM semel_plans WHERE org = :org AND state = 'asking'
               UNION ALL SELECT * FROM semel_plans WHERE org = :org AND state = 'running'
               UNION ALL SELECT * FROM semel_plans WHERE org = :org AND reason = 'in_doubt')
 ORDER BY plan DESC LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- plans --
-- A page of an organization's plans, newest first; person NULL means everybody's.
SELECT * FROM semel_plans
 WHERE org = :org AND plan < :before AND (:person::text IS NULL OR person = :person)
 ORDER BY plan DESC LIMIT CASE WHEN :limit::bigint >= 0 THEN :limit::bigint END

-- steps --
-- What the plans of a page do, and what was shown of it.
SELECT plan, position, action, risk, state, preview, "similar" FROM semel_steps
 WHERE org = :org AND plan >= :since AND plan < :before ORDER BY plan, position

-- effects --
-- What the plans of a page have made or touched, as it is called.
SELECT plan, position, kind, id, label FROM semel_effects
 WHERE org = :org AND plan >= :since AND plan < :before ORDER BY plan, position, kind, id

-- yeses --
-- The questions about the plans of a page that were answered: when each was put, and when the yes came.
SELECT plan, id, question, person, created_at, used_at FROM semel_confirmations
 WHERE org = :org AND plan >= :since AND plan < :before AND used_at IS NOT NULL ORDER BY plan, created_at, id

-- repeats --
-- What came to the plans of a page that was not to have any effect, or only once in all.
SELECT plan, seq, at, kind FROM semel_events
 WHERE org = :org AND plan >= :since AND plan < :before
   AND kind IN ('rejected', 'taken_over', 'step_resent', 'handed_on') ORDER BY plan, seq

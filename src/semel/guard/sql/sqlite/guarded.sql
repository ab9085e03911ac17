-- seen --
-- What a repeat that code asks for needs of an intent. Reading it outside a transaction first is all that one
-- costs.
SELECT state, message, turn, request, result, keep_until FROM semel_guarded WHERE org = :org AND key = :key

-- glance --
-- The same for a repeat whose answer is words.
SELECT id, tool, state, message, turn, request, shown, result, created_at, ended_at, keep_until
FROM semel_guarded WHERE org = :org AND key = :key

-- find --
-- What an intent came to.
SELECT * FROM semel_guarded WHERE org = :org AND key = :key

-- of_id --
-- The call that a job's id stands for.
SELECT * FROM semel_guarded WHERE org = :org AND id = :id

-- open --
-- The calls of which nothing is proven, the oldest first.
SELECT * FROM semel_guarded WHERE org = :org AND state IN ('started', 'in_doubt')
ORDER BY +created_at, +key LIMIT :many

-- is_there --
-- Whether an intent has a record. To ask for all its columns costs a tenth of a new call, which has none.
SELECT 1 AS found FROM semel_guarded WHERE org = :org AND key = :key

-- lock --
-- The record as it is, for a change of it. Differs by necessity: a writing transaction is alone here, so
-- nothing has to be locked.
SELECT * FROM semel_guarded WHERE org = :org AND key = :key

-- insert --
-- Own an intent, or get no row: losing is not an error, the record then says whose it is.
INSERT INTO semel_guarded (org, key, id, tool, intent, session, message, turn, request, shown, state, epoch,
    round, sends, result, why, created_at, ended_at, keep_until, resume_after, stamp)
VALUES (:org, :key, :id, :tool, :intent, :session, :message, :turn, :request, :shown, :state, :epoch,
    :round, :sends, :result, :why, :created_at, :ended_at, :keep_until, :resume_after, :stamp)
ON CONFLICT (org, key) DO NOTHING
RETURNING key

-- done --
-- What was done in this very transaction, whose key is held, for the first time and with nothing sent. A
-- second record of it is refused, and its effect with it.
INSERT INTO semel_guarded (org, key, id, tool, intent, session, message, turn, request, shown, state, epoch,
    round, sends, result, created_at, ended_at, keep_until, resume_after, stamp)
VALUES (:org, :key, :id, :tool, :intent, :session, :message, :turn, :request, :shown, 'done', 1,
    1, '[]', :result, :ended_at, :ended_at, :keep_until, :ended_at, :stamp)

-- change --
-- What has become known of a call, by whoever holds its record. A new round has a new id and another turn.
UPDATE semel_guarded SET id = :id, message = :message, turn = :turn, request = :request, shown = :shown, state = :state,
    epoch = :epoch, round = :round, sends = :sends, result = :result, why = :why, created_at = :created_at,
    ended_at = :ended_at, keep_until = :keep_until, resume_after = :resume_after, stamp = :stamp
WHERE org = :org AND key = :key

-- said_before --
-- How an intent was last asked for up to an instant, by whichever message: a repeat is told apart by that.
SELECT * FROM semel_guarded
WHERE org = :org AND intent = :intent AND message IS NOT NULL AND key <> :key AND created_at <= :before
ORDER BY +created_at DESC LIMIT 1

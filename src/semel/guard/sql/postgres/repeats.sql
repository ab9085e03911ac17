-- add --
-- So many more calls of a tool, by what they were. Counts only: they are worth no transaction of a call.
INSERT INTO semel_repeats (org, day, tool, source, mode, calls) VALUES (:org, :day, :tool, :source, :mode, :calls)
ON CONFLICT (org, day, tool, source, mode) DO UPDATE SET calls = semel_repeats.calls + excluded.calls

-- since --
-- What was counted since a day, by tool, source and mode.
SELECT tool, source, mode, sum(calls)::bigint AS calls FROM semel_repeats WHERE org = :org AND day >= :day
GROUP BY tool, source, mode ORDER BY tool, source, mode

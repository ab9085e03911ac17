-- insert --
-- Somebody says that a host is gone for good, or all of them ('*'). Said twice at one instant it is said once.
INSERT INTO semel_gone (host, at, said_by) VALUES (:host, :now, :said_by)
ON CONFLICT (host, at) DO NOTHING
RETURNING host

-- latest --
-- Up to when each host's senders count as dead.
SELECT host, max(at) AS at FROM semel_gone GROUP BY host ORDER BY host

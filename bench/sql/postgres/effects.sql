-- insert --
-- One effect of one call; a second one for the same key would be seen, so nothing forbids it here.
INSERT INTO effects (key, payload) VALUES (:key, :payload)

-- durability --
-- What this very session is set to: a row whose commits may be lost is no row. Differs by necessity: the
-- two databases have different settings.
SELECT current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS synchronous_commit,
       current_setting('full_page_writes') AS full_page_writes,
       current_setting('wal_sync_method') AS wal_sync_method,
       current_setting('server_version') AS server_version

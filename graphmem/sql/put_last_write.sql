-- Every write names the one before it: see graphmem/stores/sqlite_log.py. A cast, because what is joined is text.
INSERT INTO setting (name, value) VALUES ('last_write', CAST(:mark || zeroblob(16) || randomblob(16) AS BLOB))
ON CONFLICT (name) DO UPDATE SET value = CAST(:mark || substr(setting.value, -16) || randomblob(16) AS BLOB)
